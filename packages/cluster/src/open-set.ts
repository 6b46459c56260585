import type { Address } from '@tessera/contracts';
import type { Resolved, ServerProcess, ServerRuntime, SetSettings } from '@tessera/server/parts';
import { Auth, AuthConfig, MemberRole, ReplicaSet, firstConfig, openEngine, openProcess } from '@tessera/server/parts';
import type { MemberOptions } from './cluster.js';

/** A replica set and its servers, one for each member. */
export interface OpenSet {
  readonly set: ReplicaSet;
  readonly processes: readonly ServerProcess[];
}

export interface SetWish {
  readonly name: string;
  readonly members: number | readonly MemberOptions[];
  readonly settings: Partial<Omit<SetSettings, 'replicaSetId'>>;
}

const most = 7;

const listOf = (members: SetWish['members']): readonly MemberOptions[] =>
  typeof members === 'number' ? Array.from({ length: members }, () => ({})) : members;

/** Each member has a folder of its own. */
const ofMember = (options: Resolved, member: string): Resolved =>
  options.data === undefined
    ? options
    : { ...options, data: { ...options.data, folder: `${options.data.folder}/${member}` } };

/**
 * Makes a replica set whose members listen nowhere yet.
 * @param hosts where they will be found; those that are not known are told to the set when they listen
 * @throws RangeError for more than 7 members, CommandError 93 for members that no set can have
 */
export const openSet = (
  runtime: ServerRuntime,
  { name, members, settings }: SetWish,
  options: Resolved,
  hosts: readonly Address[] = [],
): OpenSet => {
  const wishes = listOf(members);
  if (wishes.length < 1 || wishes.length > most) {
    throw new RangeError(`A replica set has 1 to ${most} members here, not ${wishes.length}`);
  }
  const engines = wishes.map(() => openEngine(runtime, options));
  const config = firstConfig(
    name,
    wishes.map((wish, place) => ({ ...wish, host: hosts[place] ?? `${name}-${place}:27017` })),
    { ...settings, replicaSetId: engines[0]!.newObjectId() },
  );
  const set = new ReplicaSet(runtime, config, engines);
  const authConfig = new AuthConfig(runtime, options, () => engines[0]!.newUuid());
  let toLoad = engines.length;
  const loaded = (): void => {
    toLoad -= 1;
    if (toLoad === 0) set.initiate();
  };
  const processes = engines.map((engine, place) =>
    openProcess(runtime, ofMember(options, `${name}-${place}`), {
      engine,
      auth: new Auth(authConfig, engine),
      role: new MemberRole(set, set.members[place]!),
      loaded,
    }),
  );
  if (options.data === undefined) set.initiate();
  return { set, processes };
};

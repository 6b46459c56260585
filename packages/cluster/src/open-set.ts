import type { Address } from '@tessera/contracts';
import type { Resolved, ServerProcess, ServerRuntime, SetSettings } from '@tessera/server/parts';
import { Auth, AuthConfig, MemberRole, ReplicaSet, firstConfig, openEngine, openProcess } from '@tessera/server/parts';
import type { MemberOptions } from './cluster.js';

/** A replica set and the server processes of its members. */
export interface OpenSet {
  readonly set: ReplicaSet;
  readonly processes: readonly ServerProcess[];
}

export interface SetOptions {
  readonly name: string;
  readonly members: number | readonly MemberOptions[];
  readonly settings: Partial<Omit<SetSettings, 'replicaSetId'>>;
}

const most = 7;

const listOf = (members: SetOptions['members']): readonly MemberOptions[] =>
  typeof members === 'number' ? Array.from({ length: members }, () => ({})) : members;

/** Gives each member its own folder. */
const ofMember = (options: Resolved, member: string): Resolved =>
  options.data === undefined
    ? options
    : { ...options, data: { ...options.data, folder: `${options.data.folder}/${member}` } };

/**
 * Creates a replica set whose members do not listen yet.
 * @param hosts the addresses of the members; unknown addresses are set when the members listen
 * @throws RangeError for more than 7 members
 * @throws CommandError 93 for an invalid configuration of members
 */
export const openSet = (
  runtime: ServerRuntime,
  { name, members, settings }: SetOptions,
  options: Resolved,
  hosts: readonly Address[] = [],
): OpenSet => {
  const list = listOf(members);
  if (list.length < 1 || list.length > most) {
    throw new RangeError(`A replica set must have 1 to ${most} members, not ${list.length}.`);
  }
  const engines = list.map(() => openEngine(runtime, options));
  const config = firstConfig(
    name,
    list.map((member, place) => ({ ...member, host: hosts[place] ?? `${name}-${place}:27017` })),
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

import { conclude, flag, print, readArguments } from '@tessera-tools/house';
import type { Note, Tally } from '@tessera-tools/house';
import { startCluster, startServer } from 'tessera-server';
import type { Group, User } from './cases.js';
import { groupsOf } from './cases.js';
import type { Difference } from './run.js';
import { runGroups, users } from './run.js';
import type { Place } from './table.js';
import { readBuiltIns, readForms } from './table.js';

export const usage: string = `npm run differential -- roles [--short]
Sends every command and stage as users with every built-in role and with custom roles, and compares which of them the embedded server
refuses with a table from MongoDB's manual and tests (packages/server/test/roles).
  --short  sends a thirtieth of the cases
`;

/** The command line: whether to send a part of the cases. */
export const readCommandLine = (given: readonly string[]): { readonly short: boolean } =>
  readArguments({ options: { short: flag }, words: { noun: 'comparison', known: ['roles'] } }, given).options;

/** A short run sends one of this number of cases, each time another part of the forms to another user. */
const stride = 30;

/** Returns a part of the cases. All users and all forms with custom roles occur in it. */
const partOf = (groups: readonly Group[]): readonly Group[] => {
  let drawn = 0;
  return groups
    .map(({ user, cases }) => ({ user, cases: cases.filter(() => drawn++ % stride === 0) }))
    .filter(({ cases }) => cases.length > 0);
};

const nameOf = (user: User): string => {
  if (user.kind === 'nobody') return 'a client before login';
  if (user.kind === 'built-in') return user.roles.length === 0 ? 'a user without roles' : user.roles.join(', ');
  const list = user.privileges.map(([resource, actions]) => `${actions.slice(0, 5).join(' ')} on ${resource}`);
  return `${list.join(', ')}${user.inherits ? ' (inherited)' : ''}`;
};

const noteOf = (place: Place, { user, found: { form, allowed }, reply }: Difference): Note => ({
  title: `roles: ${place}, ${form.db}: ${JSON.stringify(form.command)} as ${nameOf(user)}`,
  reason: `must be ${allowed ? 'allowed' : 'refused'} (${form.needs}): ${reply}`,
});

const onServer = async (place: Place, groups: readonly Group[]): Promise<Tally> => {
  await using server = await (place === 'member'
    ? startServer({ replicaSet: 'rs0', users })
    : startCluster({ topology: 'sharded', shards: 1, members: 1, users }));
  const { count, differences } = await runGroups(server.uri, place, groups);
  const failed = differences.map(each => noteOf(place, each));
  for (const { title, reason } of failed) print(`${title} ${reason}`);
  print(`${place}: ${count} cases, ${failed.length} differences`);
  return { passed: count - failed.length, failed, skipped: [] };
};

/** Compares all roles on a member of a replica set and on a mongos. */
export const compareRoles = async (short: boolean): Promise<number> => {
  const all = groupsOf(readForms(), readBuiltIns());
  const groups = short ? partOf(all) : all;
  const [member, mongos] = [await onServer('member', groups), await onServer('mongos', groups)];
  return conclude({
    passed: member.passed + mongos.passed,
    failed: [...member.failed, ...mongos.failed],
    skipped: [],
  });
};

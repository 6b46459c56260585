/** Sends the cases to a server, and compares its decisions with the table. */
import { MongoClient, MongoServerError } from '@tessera/mongodb';
import type { Document } from 'bson';
import type { Case, Group, User } from './cases.js';
import type { Privilege } from './privileges.js';
import type { Place } from './table.js';

/** A decision of the server that is not that of the table. */
export interface Difference {
  readonly user: User;
  readonly found: Case;
  /** The reply of the server. */
  readonly reply: string;
}

const unauthorized = 13;

/** The user who sends the commands. The server has it and `root` from the start. */
export const users: readonly { readonly user: string; readonly pwd: string; readonly roles?: readonly string[] }[] = [
  { user: 'root', pwd: 'root' },
  { user: 'probe', pwd: 'probe', roles: [] },
];

const connect = async (uri: string, name: string | undefined): Promise<MongoClient> => {
  const auth = name === undefined ? {} : { auth: { username: name, password: name } };
  return new MongoClient(uri, { ...auth, maxPoolSize: 1, retryReads: false, retryWrites: false }).connect();
};

const resourceDoc = (resource: string): Document => {
  if (resource === '*') return { anyResource: true };
  if (resource === 'cluster') return { cluster: true };
  const dot = resource.indexOf('.');
  return { db: resource.slice(0, dot), collection: resource.slice(dot + 1) };
};

const privilegeDoc = ([resource, actions]: Privilege): Document => ({ resource: resourceDoc(resource), actions });

const roleDoc = (name: string): Document => {
  const [role, db] = name.split('@');
  return { role, db };
};

/** Gives the user `probe` its roles. */
const become = async (root: MongoClient, user: User): Promise<void> => {
  if (user.kind === 'nobody') return;
  const admin = root.db('admin');
  const isBuiltIn = user.kind === 'built-in';
  if (!isBuiltIn) await admin.command({ updateRole: 'probe', privileges: user.privileges.map(privilegeDoc) });
  const roles = isBuiltIn ? user.roles.map(roleDoc) : [user.inherits ? 'heir' : 'probe'];
  await admin.command({ updateUser: 'probe', roles });
};

/** The collections and views that cases may have removed. */
const restore = async (root: MongoClient): Promise<void> => {
  const shop = root.db('shop');
  for (const command of [
    { create: 'v', viewOn: 'hidden', pipeline: [{ $unionWith: 'secret' }] },
    { drop: 'w' },
    { insert: 'c', documents: [{ _id: 1 }] },
  ])
    await shop.command(command).catch(() => undefined);
};

/** Returns the reply if it is not what the table expects. */
const differenceOf = async (client: MongoClient, { form, allowed }: Case): Promise<string | undefined> => {
  try {
    await client.db(form.db).command(form.command);
    return allowed ? undefined : 'allowed';
  } catch (error) {
    if (!(error instanceof MongoServerError)) throw error;
    const isRefused = error.code === unauthorized;
    const isKnown = !error.message.startsWith('no such command');
    return isRefused !== allowed && isKnown ? undefined : `${String(error.code)} ${error.message}`;
  }
};

/** Runs the cases of a place. Cases of other places are left out. @returns the number of cases, and the differences */
export const runGroups = async (
  uri: string,
  place: Place,
  groups: readonly Group[],
): Promise<{ readonly count: number; readonly differences: readonly Difference[] }> => {
  const root = await connect(uri, 'root');
  const probe = await connect(uri, 'probe');
  const nobody = await connect(uri, undefined);
  const differences: Difference[] = [];
  let count = 0;
  try {
    const admin = root.db('admin');
    await admin.command({ createRole: 'probe', privileges: [], roles: [] });
    await admin.command({ createRole: 'heir', privileges: [], roles: ['probe'] });
    for (const { user, cases } of groups) {
      await restore(root);
      await become(root, user);
      for (const found of cases.filter(({ form }) => form.on.includes(place))) {
        const reply = await differenceOf(user.kind === 'nobody' ? nobody : probe, found);
        count += 1;
        if (reply !== undefined) differences.push({ user, found, reply });
      }
    }
  } finally {
    for (const client of [root, probe, nobody]) await client.close();
  }
  return { count, differences };
};

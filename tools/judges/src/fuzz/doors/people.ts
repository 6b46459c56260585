/** The users of a server with authentication, and the texts that none of them may read. */
import type { Document } from 'bson';

/** A user, whose password is the name. */
export interface Person {
  readonly name: string;
  readonly roles: readonly Document[];
  /** The privileges of the user's own role. */
  readonly privileges: readonly Document[];
  /** The databases in which the user has privileges on some collections, if any. */
  readonly homes: readonly string[];
  /** Whether the user may read the oplog, which contains every secret. Commands of this user do not go to `local`. */
  readonly readsOplog: boolean;
  /** Whether the user may list the names of collections, users and indexes of all databases. */
  readonly learnsNames: boolean;
  /** Whether the user may end operations and cursors of other users. */
  readonly kills: boolean;
}

/** Every planted document contains this text, and no user but root may read it. Requests never contain it. */
export const content = 'Wq7SecretContent';

/** The text in planted names, definitions and descriptions. Requests never contain it. */
export const naming = 'Wq7SecretNaming';

const on = (db: string, collection: string, ...actions: readonly string[]): Document => ({
  resource: { db, collection },
  actions,
});

const onCluster = (...actions: readonly string[]): Document => ({ resource: { cluster: true }, actions });

const person = (name: string, more: Partial<Person> = {}): Person => ({
  name,
  roles: [],
  privileges: [],
  homes: ['shop'],
  readsOplog: false,
  learnsNames: false,
  kills: false,
  ...more,
});

const inShop = (role: string): Partial<Person> => ({ roles: [{ role, db: 'shop' }] });

export const people: readonly Person[] = [
  person('nobody'),
  person('reader', inShop('read')),
  person('writer', inShop('readWrite')),
  person('keeper', inShop('dbAdmin')),
  person('monitor', { roles: [{ role: 'clusterMonitor', db: 'admin' }], readsOplog: true, learnsNames: true }),
  person('finder', { privileges: [on('store', 'open', 'find')], homes: ['store'] }),
  person('viewer', {
    privileges: [on('store', 'n', 'createCollection', 'collMod'), on('store', 'open', 'find', 'insert', 'update')],
    homes: ['store'],
  }),
  person('inserter', {
    privileges: [on('shop', 'c', 'insert'), on('store', 'hidden', 'insert')],
    homes: ['shop', 'store'],
  }),
  person('updater', { privileges: [on('shop', 'c', 'update', 'remove')] }),
  person('streamer', { privileges: [on('shop', '', 'changeStream', 'find', 'listCollections', 'collStats')] }),
  person('killer', {
    privileges: [onCluster('killop', 'inprog', 'killAnySession'), on('shop', '', 'killAnyCursor', 'find')],
    learnsNames: true,
    kills: true,
  }),
  person('lister', {
    privileges: [onCluster('listDatabases', 'listSessions', 'inprog', 'top', 'serverStatus', 'getLog')],
    learnsNames: true,
  }),
];

/** The user without any role. Clients before login may know this password only. */
export const nobody: Person = people[0]!;

/** Users whose rights make more commands succeed are drawn more often. */
const busiest: ReadonlySet<string> = new Set(['reader', 'writer', 'finder', 'viewer']);

export const drawn: readonly (readonly [weight: number, person: Person])[] = people.map(each => [
  busiest.has(each.name) ? 3 : 1,
  each,
]);

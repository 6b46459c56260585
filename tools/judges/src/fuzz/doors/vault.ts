/** The data and users that root plants on the server, and a check that they are unchanged. */
import { createHash } from 'node:crypto';
import { Binary, EJSON, Long } from 'bson';
import type { Document } from 'bson';
import { documentOf } from '../judge.js';
import { frameOfCommand } from '../message.js';
import type { Target, Violation } from '../target.js';
import type { WireClient } from '../wire-client.js';
import { openClient } from '../wire-client.js';
import type { World } from './blanks.js';
import { content, naming, people } from './people.js';
import { login } from './scram.js';

type Ask = (command: Document, db?: string) => Promise<Document>;

const secrets = (count: number): readonly Document[] =>
  Array.from({ length: count }, (_, _id) => ({ _id, a: 1, s: `${content}${_id}` }));

const indexes = { createIndexes: 'c', indexes: [{ key: { a: 1 }, name: naming }] };

const planted: readonly (readonly [command: Document, db: string])[] = [
  [{ insert: 'c', documents: secrets(30) }, 'vault'],
  [indexes, 'vault'],
  [{ insert: naming, documents: secrets(2) }, 'vault'],
  [{ insert: 't', documents: secrets(2) }, 'vault'],
  [{ insert: 'system.js', documents: secrets(2) }, 'vault'],
  [{ create: 'capped', capped: true, size: 10_000, validator: { $comment: naming } }, 'vault'],
  [{ insert: 'capped', documents: secrets(1) }, 'vault'],
  [{ create: 'ts', timeseries: { timeField: 't', metaField: 'm' } }, 'vault'],
  [{ insert: 'ts', documents: [{ t: new Date(0), m: content, s: content }] }, 'vault'],
  [{ create: 'v', viewOn: 'c', pipeline: [{ $set: { x: naming } }] }, 'vault'],
  [{ createRole: naming, privileges: [], roles: [] }, 'vault'],
  [{ createUser: naming, pwd: naming, roles: [] }, 'vault'],
  [{ createUser: 'hermit', pwd: content, roles: [], customData: { s: content } }, 'vault'],
  [{ insert: 'private', documents: secrets(2) }, 'admin'],
  // The role clusterMonitor may read config.
  [{ insert: 'private', documents: [{ _id: 0, s: naming }] }, 'config'],
  [{ insert: 'hidden', documents: secrets(2) }, 'store'],
  [{ insert: 'open', documents: [{ a: 1 }] }, 'store'],
  [{ insert: 'c', documents: [{ _id: 1, a: 1, s: 'open' }, { a: 2 }, { a: 3 }] }, 'shop'],
  [{ insert: 'e', documents: [{ a: 1 }] }, 'shop'],
  [{ create: 'v', viewOn: 'c', pipeline: [] }, 'shop'],
];

const all = (first: string, others: readonly string[], fields: Document = {}): Document => ({
  aggregate: first,
  pipeline: [
    ...others.map(coll => ({ $unionWith: coll })),
    { $sort: { _id: 1, s: 1 } },
    ...[fields].map($set => ({ $set })),
  ],
  cursor: { batchSize: 1_000 },
});

/** The commands whose replies must not change. Users with the right to insert may add documents to `store.hidden`. */
const lasting: readonly (readonly [command: Document, db: string])[] = [
  [all('c', [naming, 't', 'system.js', 'capped', 'ts', 'v'], { at: null }), 'vault'],
  [{ listCollections: 1 }, 'vault'],
  [{ listIndexes: 'c' }, 'vault'],
  [all('system.users', ['system.roles', 'private'], { at: null }), 'admin'],
  [{ find: 'private', sort: { _id: 1 } }, 'config'],
  [{ find: 'hidden', filter: { s: { $gt: '' } }, sort: { _id: 1 } }, 'store'],
  [{ getParameter: '*' }, 'admin'],
];

const known = new Set(['admin', 'config', 'local', 'shop', 'store', 'vault']);

const victim = new Binary(Buffer.alloc(16, 7), Binary.SUBTYPE_UUID);

const inTransaction = (txnNumber: number): Document => ({
  lsid: { id: victim },
  txnNumber: Long.fromNumber(txnNumber),
  autocommit: false,
});

/** Root's connection, what root planted, and the operations of root that no other user may touch. */
export interface Vault {
  /** Values of the running server for the blanks of requests. */
  readonly world: Partial<World>;
  /** The texts of the credentials, which no reply may contain. */
  readonly credentials: readonly string[];
  /**
   * Returns a violation if anything planted has changed, or an operation of root was ended.
   * @param kills whether the last user may end operations of others
   */
  check(kills: boolean): Promise<Violation | undefined>;
  /** Removes all data that users may have left, and closes root's connections. */
  close(): Promise<void>;
}

const changed = (what: string): Violation => ({ kind: 'change', what });

const shownOf = (reply: Document): string =>
  EJSON.stringify(
    (reply['cursor'] as Document | undefined)?.['firstBatch'] ?? { ...reply, $clusterTime: 0, operationTime: 0 },
  );

const differing = (before: string, after: string): string => {
  let at = 0;
  while (before[at] === after[at]) at += 1;
  return `${before.slice(Math.max(0, at - 100), at + 100)} became ${after.slice(Math.max(0, at - 100), at + 100)}`;
};

class Plant implements Vault {
  readonly root: WireClient;
  readonly waiter: WireClient;
  readonly ask: Ask;
  readonly hasTransactions: boolean;
  world: Partial<World> = {};
  credentials: readonly string[] = [];
  #before: readonly string[] = [];
  #cursor: Long = Long.ZERO;
  #transaction = 0;
  #answered = 0;

  constructor(root: WireClient, waiter: WireClient, ask: Ask, hasTransactions: boolean) {
    this.root = root;
    this.waiter = waiter;
    this.ask = ask;
    this.hasTransactions = hasTransactions;
  }

  async #must(command: Document, db: string): Promise<Document> {
    const reply = await this.ask(command, db);
    if (Number(reply['ok']) !== 1) throw new Error(`${EJSON.stringify(command)}: ${EJSON.stringify(reply)}`);
    return reply;
  }

  async #look(): Promise<readonly string[]> {
    const shown: string[] = [];
    for (const [command, db] of lasting) shown.push(shownOf(await this.#must(command, db)));
    return shown;
  }

  /** Plants everything. @throws Error if the server refuses it */
  async begin(): Promise<void> {
    for (const { name, roles, privileges } of people) {
      await this.#must({ createRole: `of-${name}`, privileges, roles: [] }, 'admin');
      const own = { role: `of-${name}`, db: 'admin' };
      await this.#must({ createUser: name, pwd: name, roles: [...roles, own], mechanisms: ['SCRAM-SHA-256'] }, 'admin');
    }
    for (const [command, db] of planted) await this.#must(command, db);
    const users = JSON.stringify(await this.#must({ find: 'system.users' }, 'admin'));
    this.credentials = [...users.matchAll(/"(?:storedKey|serverKey)":"([^"]+)"/g)].map(([, text = '']) => text);
    const listed = await this.#must({ listCollections: 1, filter: { name: naming } }, 'vault');
    const [{ info = {} } = {}] = (listed['cursor'] as Document)['firstBatch'] as { info?: Document }[];
    this.world = {
      secretUuid: info['uuid'] as unknown,
      victimSession: victim,
      victimUid: new Binary(createHash('sha256').update('root@admin').digest()),
      ownSession: new Binary(Buffer.alloc(16, 9), Binary.SUBTYPE_UUID),
    };
    await this.#open();
    this.#before = await this.#look();
  }

  /** Opens a cursor, a transaction, and an operation that waits. */
  async #open(): Promise<void> {
    const opened = await this.#must({ find: 'c', batchSize: 1, lsid: { id: victim } }, 'vault');
    this.#cursor = (opened['cursor'] as Document)['id'] as Long;
    if (this.hasTransactions) {
      this.#transaction += 1;
      const insert = { insert: 't', documents: [{ _id: 'pending', s: content }], startTransaction: true };
      await this.#must({ ...insert, ...inTransaction(this.#transaction) }, 'vault');
    }
    if (this.waiter.replies.length > this.#answered || this.#answered === 0) await this.#wait();
    const found = await this.#must({ currentOp: 1, 'command.getMore': { $exists: true } }, 'admin');
    const [operation] = found['inprog'] as Document[];
    this.world = { ...this.world, victimCursor: this.#cursor, victimOp: operation?.['opid'] as unknown };
  }

  async #wait(): Promise<void> {
    if (this.#answered > 0) await this.waiter.next(0);
    const found = await this.waiter.ask(
      frameOfCommand({ find: 'capped', tailable: true, awaitData: true, batchSize: 1 }, 'vault'),
    );
    const { id } = documentOf(found!)['cursor'] as Document;
    this.waiter.send(frameOfCommand({ getMore: id as Long, collection: 'capped', maxTimeMS: 3_600_000 }, 'vault'));
    this.#answered = this.waiter.replies.length;
  }

  /** Uses the cursor and the transaction, and returns what went wrong. */
  async #use(): Promise<string | undefined> {
    const more = await this.ask(
      { getMore: this.#cursor, collection: 'c', batchSize: 1, lsid: { id: victim } },
      'vault',
    );
    if (Number(more['ok']) !== 1) return `Root's cursor: ${EJSON.stringify(more)}`;
    if (this.hasTransactions) {
      const find = { find: 't', filter: { _id: 'pending' }, ...inTransaction(this.#transaction) };
      const found = EJSON.stringify(await this.ask(find, 'vault'));
      if (!found.includes('pending')) return `Root's transaction: ${found}`;
    }
    const ended = this.waiter.replies[this.#answered];
    if (ended !== undefined) return `Root's waiting getMore: ${EJSON.stringify(documentOf(ended))}`;
    if (String((more['cursor'] as Document)['id']) === '0') await this.#reopen();
    return undefined;
  }

  async #reopen(): Promise<void> {
    if (this.hasTransactions) await this.ask({ abortTransaction: 1, ...inTransaction(this.#transaction) });
    await this.#open();
  }

  async check(kills: boolean): Promise<Violation | undefined> {
    // Transactions that users left open would keep later commands waiting.
    await this.#must({ killAllSessions: people.map(({ name }) => ({ user: name, db: 'admin' })) }, 'admin');
    const after = await this.#look();
    const at = after.findIndex((shown, i) => shown !== this.#before[i]);
    if (at !== -1) return changed(`${EJSON.stringify(lasting[at]![0])}: ${differing(this.#before[at]!, after[at]!)}`);
    const { databases = [] } = await this.ask({ listDatabases: 1, nameOnly: true });
    const added = (databases as Document[]).find(({ name }) => !known.has(name as string));
    if (added !== undefined) return changed(`The database ${String(added['name'])} was created`);
    const ended = await this.#use();
    if (ended === undefined) return undefined;
    if (!kills) return changed(ended);
    await this.#reopen();
    return undefined;
  }

  async close(): Promise<void> {
    await this.ask({ killAllSessions: [] });
    for (const db of ['shop', 'store', 'vault']) await this.ask({ dropDatabase: 1 }, db);
    this.root.close();
    this.waiter.close();
  }
}

/** Plants data and users on a server with the user root. @throws Error if the server refuses it */
export const plant = async (target: Target, hasTransactions: boolean): Promise<Vault> => {
  const [root, waiter] = [await openClient(target.port), await openClient(target.port)];
  for (const client of [root, waiter]) await login(client, 'root');
  const ask: Ask = async (command, db = 'admin') => {
    const reply = await root.ask(frameOfCommand(command, db));
    if (reply === undefined) throw new Error(`Root's command was not answered: ${EJSON.stringify(command)}`);
    return documentOf(reply);
  };
  const vault = new Plant(root, waiter, ask, hasTransactions);
  await vault.begin();
  return vault;
};

import { decode, parseExtendedJson, stringifyExtendedJson } from '@tessera/bson';
import { MongoClient } from '@tessera/mongodb';
import { late, within } from '../within.js';
import { isWrite, silence } from './operation.js';
import type { Operation, Outcome } from './operation.js';
import type { Fields, Tree } from './tree.js';

/** Somebody who does operations: the embedded server, or an engine from outside. */
export interface Engine {
  readonly name: string;
  /** Puts these documents, and only these, into the collections of a database; the other one can be left as it is. */
  load(database: string, documents: readonly Fields[], foreign: readonly Fields[] | undefined): Promise<void>;
  run(database: string, operation: Operation): Promise<Outcome>;
  drop(database: string): Promise<void>;
  close(): Promise<void>;
}

type Reply = Readonly<Record<string, unknown>>;

/** Everything with its type; documents one level down come as they were sent. */
const exact = { raw: true, promoteValues: false, promoteLongs: false, bsonRegExp: true } as const;

const revived = (value: unknown): unknown => {
  if (value instanceof Uint8Array) return decode(value, { keepTypes: true });
  return Array.isArray(value) ? value.map(revived) : value;
};

const treeOf = (value: unknown): Tree =>
  (JSON.parse(stringifyExtendedJson({ value: revived(value) }, { relaxed: false })) as { value: Tree }).value;

/** Milliseconds for one command: an engine that takes longer is caught in it, and answers nobody. */
const patience = 30_000;

/** The engine answers nobody any more, or has ended: no other operation would be answered. */
export class Unanswered extends Error {
  readonly engine: string;
  readonly command: Fields;

  constructor(engine: string, command: Fields, what: string, cause?: unknown) {
    super(`${engine} ${what}: ${JSON.stringify(command)}`, { cause });
    this.engine = engine;
    this.command = command;
  }
}

/** Another lane's operation has lost its connection, and the pool all others: this one never reached the engine. */
const wasNotSent = (error: unknown): boolean => error instanceof Error && error.name === 'MongoPoolClearedError';

/** The engine does not do the simplest things in a database any more: what it answers there from now on is worth nothing. */
export class Spoilt extends Error {
  readonly engine: string;

  constructor(engine: string, what: string, cause?: unknown) {
    super(`${engine} ${what}`, { cause });
    this.engine = engine;
  }
}

const hasCode = (error: unknown): boolean => typeof (error as { code?: unknown }).code === 'number';

const codeOf = (error: unknown): Outcome => {
  if (!(error instanceof Error)) throw new TypeError(`Something that is no error was thrown: ${String(error)}`);
  if (error instanceof Unanswered) throw error;
  const { code } = error as { code?: unknown };
  // Without a code nobody refused anything: the engine fell silent over the operation.
  return { kind: 'refused', code: typeof code === 'number' ? code : silence, message: error.message };
};

interface WriteError {
  readonly code: number;
  readonly errmsg: string;
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(treeOf(value)));

const firstWriteError = (reply: Reply): WriteError | undefined => {
  if (reply['writeErrors'] === undefined) return undefined;
  const [first] = plain(reply['writeErrors']) as [
    { code: { $numberInt: string } | { $numberLong: string }; errmsg: string },
  ];
  return { code: Number(Object.values(first.code)[0]), errmsg: first.errmsg };
};

const cursorOf = (reply: Reply): Tree => (treeOf(reply['cursor']) as { firstBatch: Tree }).firstBatch;

const numberOf = (value: unknown): Tree => (value === undefined ? null : Number(value));

/** What is to be compared of a reply. */
const resultOf = (reply: Reply): Tree => {
  if (reply['cursor'] !== undefined) return cursorOf(reply);
  if (reply['values'] !== undefined) return treeOf(reply['values']);
  if ('value' in reply || reply['lastErrorObject'] !== undefined) {
    const last = treeOf(reply['lastErrorObject'] ?? null) as Readonly<Record<string, Tree>> | null;
    return {
      value: treeOf(reply['value'] ?? null),
      updatedExisting: last?.['updatedExisting'] ?? null,
      upserted: last?.['upserted'] ?? null,
    };
  }
  return {
    n: numberOf(reply['n']),
    ...(reply['nModified'] === undefined ? {} : { nModified: numberOf(reply['nModified']) }),
    ...(reply['upserted'] === undefined ? {} : { upserted: treeOf(reply['upserted']) }),
  };
};

export const connectEngine = async (name: string, uri: string): Promise<Engine> => {
  const client = await MongoClient.connect(uri, { maxPoolSize: 4 });
  const send = async (database: string, command: Fields): Promise<Reply> => {
    for (;;) {
      try {
        // A `timeoutMS` would send a maxTimeMS, which not every engine takes with every command.
        const answer = client.db(database).command(parseExtendedJson(JSON.stringify(command)), exact);
        const reply = await within(answer, patience);
        if (reply !== late) return reply;
        throw new Unanswered(name, command, `has not answered within ${patience} ms, and may never`);
      } catch (error) {
        if (!wasNotSent(error)) throw error;
      }
    }
  };
  /** For what every engine can do, so that one that lost the connection over it has ended. */
  const sendSimple = async (database: string, command: Fields): Promise<Reply> => {
    try {
      return await send(database, command);
    } catch (error) {
      if (error instanceof Unanswered) throw error;
      if (hasCode(error)) throw new Spoilt(name, `refuses to load documents: ${(error as Error).message}`, error);
      throw new Unanswered(name, command, 'has lost the connection', error);
    }
  };
  const all = async (database: string): Promise<readonly Tree[]> =>
    cursorOf(await send(database, { find: 'c', filter: {}, sort: { _id: 1 } })) as readonly Tree[];
  const fill = async (database: string, collection: string, documents: readonly Fields[]): Promise<void> => {
    await sendSimple(database, { delete: collection, deletes: [{ q: {}, limit: 0 }] });
    if (documents.length === 0) return;
    const reply = await sendSimple(database, { insert: collection, documents });
    const error = firstWriteError(reply);
    if (error !== undefined) throw new Spoilt(name, `does not take the documents: ${error.errmsg}`);
  };
  const perform = async (database: string, operation: Operation): Promise<Outcome> => {
    try {
      const reply = await send(database, operation.command);
      const error = firstWriteError(reply);
      if (error !== undefined) return { kind: 'refused', code: error.code, message: error.errmsg };
      const result = resultOf(reply);
      return isWrite(operation) ? { kind: 'done', result, after: await all(database) } : { kind: 'done', result };
    } catch (error) {
      return codeOf(error);
    }
  };
  return {
    name,
    load: async (database, documents, foreign) => {
      await fill(database, 'c', documents);
      if (foreign !== undefined) await fill(database, 'f', foreign);
    },
    run: async (database, operation) => {
      const { index } = operation;
      if (index === undefined) return perform(database, operation);
      try {
        await send(database, { createIndexes: 'c', indexes: [index] });
      } catch (error) {
        return codeOf(error);
      }
      const outcome = await perform(database, operation);
      await send(database, { dropIndexes: 'c', index: index['name']! });
      return outcome;
    },
    drop: async database => {
      await sendSimple(database, { dropDatabase: 1 });
    },
    close: () => client.close(),
  };
};

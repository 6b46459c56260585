import { decode, parseExtendedJson, stringifyExtendedJson } from '@tessera/bson';
import { MongoClient } from '@tessera/mongodb';
import { late, within } from '../within.js';
import { isWrite, noReply } from './operation.js';
import type { Operation, Outcome } from './operation.js';
import type { Fields, Tree } from './tree.js';

/** A server that runs operations: the embedded server, or an engine of another project. */
export interface Engine {
  readonly name: string;
  /** Replaces the documents of both collections of a database. Undefined leaves the collection `f` unchanged. */
  load(database: string, documents: readonly Fields[], foreign: readonly Fields[] | undefined): Promise<void>;
  run(database: string, operation: Operation): Promise<Outcome>;
  drop(database: string): Promise<void>;
  close(): Promise<void>;
}

type Reply = Readonly<Record<string, unknown>>;

/** Keeps the type of every value. Nested documents stay raw. */
const exact = { raw: true, promoteValues: false, promoteLongs: false, bsonRegExp: true } as const;

const revived = (value: unknown): unknown => {
  if (value instanceof Uint8Array) return decode(value, { keepTypes: true });
  return Array.isArray(value) ? value.map(revived) : value;
};

const treeOf = (value: unknown): Tree =>
  (JSON.parse(stringifyExtendedJson({ value: revived(value) }, { relaxed: false })) as { value: Tree }).value;

/** The time limit of one command, in milliseconds. An engine that exceeds it is stuck and answers no other command. */
const patience = 30_000;

/** Thrown when the engine does not reply any more, or has ended. */
export class UnresponsiveEngine extends Error {
  readonly engine: string;
  readonly command: Fields;

  constructor(engine: string, command: Fields, what: string, cause?: unknown) {
    super(`${engine} ${what}: ${JSON.stringify(command)}`, { cause });
    this.engine = engine;
    this.command = command;
  }
}

/**
 * Returns whether the pool was cleared because another lane's operation lost its connection, so that the command was
 * not sent.
 */
const wasNotSent = (error: unknown): boolean => error instanceof Error && error.name === 'MongoPoolClearedError';

/** Thrown when an engine fails to load documents into a database, so that its replies there are worthless. */
export class DamagedDatabase extends Error {
  readonly engine: string;

  constructor(engine: string, what: string, cause?: unknown) {
    super(`${engine} ${what}`, { cause });
    this.engine = engine;
  }
}

const hasCode = (error: unknown): boolean => typeof (error as { code?: unknown }).code === 'number';

const codeOf = (error: unknown): Outcome => {
  if (!(error instanceof Error)) throw new TypeError(`The engine threw a value that is not an Error: ${String(error)}`);
  if (error instanceof UnresponsiveEngine) throw error;
  const { code } = error as { code?: unknown };
  // An error without a code is not a reply: the connection was lost during the operation.
  return { kind: 'refused', code: typeof code === 'number' ? code : noReply, message: error.message };
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

/** Returns the compared part of a reply. */
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
        // Do not use `timeoutMS`: it would send maxTimeMS, which some engines reject for some commands.
        const answer = client.db(database).command(parseExtendedJson(JSON.stringify(command)), exact);
        const reply = await within(answer, patience);
        if (reply !== late) return reply;
        throw new UnresponsiveEngine(name, command, `did not reply within ${patience} ms`);
      } catch (error) {
        if (!wasNotSent(error)) throw error;
      }
    }
  };
  /** Sends a command that every engine supports. If it loses the connection, the engine has ended. */
  const sendSimple = async (database: string, command: Fields): Promise<Reply> => {
    try {
      return await send(database, command);
    } catch (error) {
      if (error instanceof UnresponsiveEngine) throw error;
      if (hasCode(error)) throw new DamagedDatabase(name, `cannot load documents: ${(error as Error).message}`, error);
      throw new UnresponsiveEngine(name, command, 'lost the connection', error);
    }
  };
  const all = async (database: string): Promise<readonly Tree[]> =>
    cursorOf(await send(database, { find: 'c', filter: {}, sort: { _id: 1 } })) as readonly Tree[];
  const fill = async (database: string, collection: string, documents: readonly Fields[]): Promise<void> => {
    await sendSimple(database, { delete: collection, deletes: [{ q: {}, limit: 0 }] });
    if (documents.length === 0) return;
    const reply = await sendSimple(database, { insert: collection, documents });
    const error = firstWriteError(reply);
    if (error !== undefined) throw new DamagedDatabase(name, `rejected the documents: ${error.errmsg}`);
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

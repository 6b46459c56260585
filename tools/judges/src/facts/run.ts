/** Runs files of facts against a deployment. */
import { Long, type Document } from 'bson';
import { MongoClient, MongoServerError, type ClientSession } from '@tessera/mongodb';
import { late, within } from '../within.js';
import { differenceOf, type Outcome } from './expectation.js';
import type { FactFile, Row } from './fact-file.js';

export interface Result {
  readonly file: FactFile;
  readonly row: Row;
  /** The difference from the expectation. Absent: it holds. */
  readonly difference: string | undefined;
}

/** How long a command may take, in milliseconds. */
const limit = 20_000;

/** How many files each client has run. */
const filesOf = new WeakMap<MongoClient, bigint>();

const names = (file: FactFile): Set<string> =>
  new Set(['test', ...file.rows.map(({ command }): string => (command['$db'] as string | undefined) ?? 'test')]);

/** The databases that the files use and that a run empties. */
export const databasesOf = (files: readonly FactFile[]): Set<string> =>
  new Set(files.flatMap(file => [...names(file)]).filter(name => !['admin', 'config', 'local'].includes(name)));

/** How many transaction numbers each file has. The files share a session, which accepts only numbers above the last one. */
const numbersOfFile = 1000n;

/** The open cursors of a file, by name. */
type Cursors = Map<string, bigint>;

/** The state that the rows of a file share. */
interface State {
  readonly earlierNumbers: bigint;
  readonly cursors: Cursors;
}

/** Replaces `{ $cursor: name }` by the id of the cursor, also in arrays. */
const withIds = (command: Document, cursors: Cursors): Document => {
  const id = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(id);
    const name = (value as { $cursor?: string } | null)?.$cursor;
    return name === undefined ? value : (cursors.get(name) ?? 0n);
  };
  return Object.fromEntries(Object.entries(command).map(([key, value]) => [key, id(value)]));
};

const outcomeOf = async (
  client: MongoClient,
  session: ClientSession,
  { command: given, expected }: Row,
  { earlierNumbers, cursors }: State,
): Promise<Outcome> => {
  const { $db = 'test', ...rest } = withIds(given, cursors) as Document & { $db?: string };
  const number = rest['txnNumber'] as Long | undefined;
  const command =
    number === undefined ? rest : { ...rest, txnNumber: Long.fromBigInt(number.toBigInt() + earlierNumbers) };
  const database = client.db($db);
  try {
    const reply: Document = await database.command(command, { session });
    const first = (reply['writeErrors'] as Document[] | undefined)?.[0];
    if (first !== undefined) return { code: first['code'] as number, message: first['errmsg'] as string, reply };
    const cursor = reply['cursor'] as Document | undefined;
    if (cursor === undefined) return { reply };
    const documents = [...((cursor['firstBatch'] ?? cursor['nextBatch'] ?? []) as Document[])];
    if (expected?.cursor !== undefined) {
      cursors.set(expected.cursor, BigInt(String(cursor['id'])));
      return { reply, documents };
    }
    if ('getMore' in command) return { reply, documents };
    const collection = String(cursor['ns']).slice($db.length + 1);
    for (let id: unknown = cursor['id']; String(id) !== '0';) {
      const more: Document = await database.command({ getMore: BigInt(String(id)), collection }, { session });
      const next = more['cursor'] as Document;
      documents.push(...(next['nextBatch'] as Document[]));
      id = next['id'];
    }
    return { reply, documents };
  } catch (error) {
    if (error instanceof MongoServerError) return { code: Number(error.code), message: error.message, reply: {} };
    throw error;
  }
};

const differenceIn = async (
  client: MongoClient,
  session: ClientSession,
  row: Row,
  state: State,
): Promise<string | undefined> => {
  try {
    const outcome = await within(outcomeOf(client, session, row, state), limit);
    return outcome === late ? `no reply within ${limit / 1000} s` : differenceOf(row.expected ?? { ok: true }, outcome);
  } catch (error) {
    return String(error);
  }
};

/** Runs one file on empty databases. Returns the result of each fact, and of each preparation that failed. */
export const runFile = async (client: MongoClient, file: FactFile): Promise<Result[]> => {
  for (const name of databasesOf([file])) await client.db(name).dropDatabase();
  const results: Result[] = [];
  const state: State = { earlierNumbers: (filesOf.get(client) ?? 0n) * numbersOfFile, cursors: new Map() };
  filesOf.set(client, (filesOf.get(client) ?? 0n) + 1n);
  await client.withSession(async session => {
    for (const row of file.rows) {
      const difference = await differenceIn(client, session, row, state);
      if (row.expected !== undefined || difference !== undefined) results.push({ file, row, difference });
    }
  });
  return results;
};

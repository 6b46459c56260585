/** Where the integration tests run: the deployment that MONGODB_URI names, or the embedded server. */
import { randomUUID } from 'node:crypto';
import { MongoClient } from '@tessera/mongodb';
import type { Collection, Db, Document, MongoClientOptions } from '@tessera/mongodb';
import { startServer } from 'tessera-server';
import { afterAll, beforeAll } from 'vitest';
import type { TestContext } from 'vitest';

/** What cannot be asked of every server: whoever starts one says in ENGINE what it lacks, and why. */
export type Feature =
  | 'aggregation without a collection'
  | 'array filters'
  | 'atomic updates'
  | 'awaited data'
  | 'bulk counts'
  | 'byte-exact types'
  | 'capped collections'
  | 'capped maximum'
  | 'causal consistency'
  | 'change streams'
  | 'client sessions'
  | 'collation'
  | 'collection rename'
  | 'cursor batches'
  | 'Decimal128'
  | 'document validation'
  | 'duplicate key details'
  | 'duplicate keys in updates'
  | 'error codes'
  | 'explain'
  | 'fail points'
  | 'hello'
  | 'hints'
  | 'infinity and NaN'
  | 'key order'
  | 'killCursors'
  | 'let variables'
  | 'listDatabases filter'
  | 'nested arrays'
  | 'null characters'
  | 'partial indexes'
  | 'pipeline updates'
  | 'positional updates'
  | 'projection of findAndModify'
  | 'pull conditions'
  | 'push modifiers'
  | 'read-only views'
  | 'replica set'
  | 'richer aggregation'
  | 'run-time limits'
  | 'sums of constants'
  | 'symbols'
  | 'transactions'
  | 'unacknowledged writes'
  | 'upsert metadata'
  | 'upsert places'
  | 'views';

interface Engine {
  readonly name: string;
  readonly lacks: Readonly<Partial<Record<Feature, string>>>;
}

/** It is what `npx tessera-server` starts. */
const embedded: Engine = {
  name: 'the embedded server',
  lacks: {
    'change streams': 'it is a standalone server, which has no log of changes',
    'causal consistency': 'it is a standalone server, which has no cluster time',
    'replica set': 'it is a standalone server',
    transactions: 'it is a standalone server',
  },
};

const { ENGINE: given, MONGODB_URI: named } = process.env;
const unknown: Engine = named === undefined ? embedded : { name: 'the deployment of MONGODB_URI', lacks: {} };
const engine: Engine = given === undefined ? unknown : (JSON.parse(given) as Engine);

/** Skips the test, with the reason, on an engine that lacks one of these. */
export function needs(context: TestContext, ...features: readonly Feature[]): void {
  for (const feature of features) {
    const reason = engine.lacks[feature];
    if (reason !== undefined) context.skip(`${engine.name}: ${reason}`);
  }
}

/** What most tests store. */
export interface Anything extends Document {
  _id?: number;
}

export interface Numbered extends Document {
  _id: number;
}

/** A database of the file's own, dropped at the end. */
export interface Room {
  readonly uri: string;
  readonly client: MongoClient;
  readonly db: Db;
  /** A collection that no other test uses. */
  collection<Schema extends object = Anything>(): Collection<Schema>;
  /** Another client of the same deployment, closed with the room. */
  another(options?: MongoClientOptions): MongoClient;
}

/** For the tests of one file. */
export function useRoom(): Room {
  let room: { readonly uri: string; readonly client: MongoClient; readonly db: Db } | undefined;
  let close = async (): Promise<void> => {};
  let collections = 0;
  const others: MongoClient[] = [];
  beforeAll(async () => {
    const server = named === undefined ? await startServer() : undefined;
    const uri = server?.uri ?? named ?? '';
    const client = await MongoClient.connect(uri);
    const db = client.db(`tessera_${randomUUID().slice(0, 8)}`);
    room = { uri, client, db };
    close = async () => {
      await Promise.all(others.map(other => other.close()));
      await db.dropDatabase();
      await client.close();
      await server?.close();
    };
  });
  afterAll(() => close());
  const open = (): NonNullable<typeof room> => {
    if (room === undefined) throw new Error('The room opens before the first test, not before the file is read.');
    return room;
  };
  return {
    get uri() {
      return open().uri;
    },
    get client() {
      return open().client;
    },
    get db() {
      return open().db;
    },
    collection: <Schema extends object = Anything>() => open().db.collection<Schema>(`c${collections++}`),
    another: options => {
      const client = new MongoClient(open().uri, options);
      others.push(client);
      return client;
    },
  };
}

/** The error that the work ends with. @throws Error if it ends well. */
export async function errorOf<T extends Error>(work: Promise<unknown>): Promise<T> {
  const value = await work.catch((error: unknown) => error);
  if (value instanceof Error) return value as T;
  throw new Error(`It was to fail, and answered ${String(value)}.`);
}

let places = 0;

/** A capped collection of one document: whoever has read it, by a tailable cursor that awaits data, waits for long. */
export async function waitingPlace({ db }: Room): Promise<string> {
  const capped = await db.createCollection(`waiting${places++}`, { capped: true, size: 4_096 });
  await capped.insertOne({ n: 1 });
  return capped.collectionName;
}

/** `{ _id: 0 }`, `{ _id: 1 }`, and so on. */
export const numbered = (count: number, more: (index: number) => object = () => ({})): Numbered[] =>
  Array.from({ length: count }, (_, _id) => ({ _id, ...more(_id) }));

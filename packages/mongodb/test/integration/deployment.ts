/** The deployment that the integration tests use: that of MONGODB_URI, or the embedded server. */
import { randomUUID } from 'node:crypto';
import { MongoClient } from '@tessera/mongodb';
import type { Collection, Db, Document, MongoClientOptions } from '@tessera/mongodb';
import { startServer } from 'tessera-server';
import { afterAll, beforeAll } from 'vitest';
import type { TestContext } from 'vitest';

/** A capability that some servers lack. The variable ENGINE names the missing ones, with reasons. */
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

/** The server that `npx tessera-server` starts. */
const embedded: Engine = {
  name: 'the embedded server',
  lacks: {
    'change streams': 'a standalone server has no oplog',
    'causal consistency': 'a standalone server has no cluster time',
    'replica set': 'it is a standalone server',
    transactions: 'it is a standalone server',
  },
};

const { ENGINE: given, MONGODB_URI: named } = process.env;
const unknown: Engine = named === undefined ? embedded : { name: 'the deployment of MONGODB_URI', lacks: {} };
const engine: Engine = given === undefined ? unknown : (JSON.parse(given) as Engine);

/** Skips the test and prints the reason if the server lacks one of the features. */
export function needs(context: TestContext, ...features: readonly Feature[]): void {
  for (const feature of features) {
    const reason = engine.lacks[feature];
    if (reason !== undefined) context.skip(`${engine.name}: ${reason}`);
  }
}

/** A document with arbitrary fields. */
export interface Anything extends Document {
  _id?: number;
}

export interface Numbered extends Document {
  _id: number;
}

/** A database for the tests of one file. It is dropped after them. */
export interface Deployment {
  readonly uri: string;
  readonly client: MongoClient;
  readonly db: Db;
  /** Returns a collection that no other test uses. */
  collection<Schema extends object = Anything>(): Collection<Schema>;
  /** Returns another client of the same deployment. It is closed after the tests. */
  another(options?: MongoClientOptions): MongoClient;
}

/** Creates the client and database for the tests of one file. */
export function useDeployment(): Deployment {
  let deployment: { readonly uri: string; readonly client: MongoClient; readonly db: Db } | undefined;
  let close = async (): Promise<void> => {};
  let collections = 0;
  const others: MongoClient[] = [];
  beforeAll(async () => {
    const server = named === undefined ? await startServer() : undefined;
    const uri = server?.uri ?? named ?? '';
    const client = await MongoClient.connect(uri);
    const db = client.db(`tessera_${randomUUID().slice(0, 8)}`);
    deployment = { uri, client, db };
    close = async () => {
      await Promise.all(others.map(other => other.close()));
      await db.dropDatabase();
      await client.close();
      await server?.close();
    };
  });
  afterAll(() => close());
  const open = (): NonNullable<typeof deployment> => {
    if (deployment === undefined)
      throw new Error('The deployment is not open. Use it in a test, not while the file loads.');
    return deployment;
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

/** Returns the error that the promise rejects with. @throws Error if it resolves */
export async function errorOf<T extends Error>(work: Promise<unknown>): Promise<T> {
  const value = await work.catch((error: unknown) => error);
  if (value instanceof Error) return value as T;
  throw new Error(`Expected an error, but the operation returned ${String(value)}.`);
}

let places = 0;

/**
 * Creates a capped collection with one document. After a tailable awaitData cursor has read it, the next read waits.
 * Returns the collection's name.
 */
export async function waitingPlace({ db }: Deployment): Promise<string> {
  const capped = await db.createCollection(`waiting${places++}`, { capped: true, size: 4_096 });
  await capped.insertOne({ n: 1 });
  return capped.collectionName;
}

/** Returns the documents `{ _id: 0 }`, `{ _id: 1 }`, and so on. */
export const numbered = (count: number, more: (index: number) => object = () => ({})): Numbered[] =>
  Array.from({ length: count }, (_, _id) => ({ _id, ...more(_id) }));

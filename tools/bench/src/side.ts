import type { Document } from './documents/varied.js';

/** The two compared drivers: Tessera and the official driver. */
export type SideName = 'ours' | 'theirs';
export const sideNames: readonly SideName[] = ['ours', 'theirs'];

/** The program of a worker: a driver, or `bare`, which uses only Tessera's pool and connection. */
export type Program = SideName | 'bare';

/** The names of the two drivers in messages. */
export const sideTitles: Readonly<Record<SideName, string>> = { ours: 'ours', theirs: 'official' };

/** Encodes and decodes the documents of one collection. */
export interface Codec {
  encode(document: Document): Uint8Array;
  decode(bytes: Uint8Array): Document;
}

export interface ReadOptions {
  readonly signal?: AbortSignal;
}

/** The part of the API that is the same in both drivers. */
export interface Collection {
  findOne(filter: Document, options: ReadOptions): Promise<Document | null>;
  insertOne(document: Document): Promise<Document>;
  insertMany(documents: readonly Document[]): Promise<Document>;
  find(filter: Document, options: ReadOptions & { readonly batchSize: number }): Cursor;
}

export interface Cursor extends AsyncIterable<Document> {
  toArray(): Promise<Document[]>;
}

export interface Database {
  command(command: Document): Promise<Document>;
  collection(name: string): Collection;
}

export interface Client {
  connect(): Promise<unknown>;
  on(event: 'connectionReady', listener: () => void): unknown;
  db(name: string): Database;
  close(): Promise<void>;
}

/** The options that are the same in both drivers. */
export interface ClientOptions {
  readonly tls?: boolean;
  /** The authority to trust, in PEM. */
  readonly ca?: string;
  readonly compressors?: string;
  readonly minPoolSize?: number;
  readonly maxPoolSize?: number;
  readonly auth?: { readonly username: string; readonly password: string };
  readonly authMechanism?: 'SCRAM-SHA-256';
}

/** Creates a client that is not connected yet. */
export type NewClient = (uri: string, options?: ClientOptions) => Client;

/** Loads the modules of a program on demand. */
export interface Side {
  /** Returns a function that creates a codec for each collection. */
  codecs(): Promise<() => Codec>;
  clients(): Promise<NewClient>;
}

/** Returns the connection string of the null server at a port. */
export const nullUri = (port: number): string => `mongodb://127.0.0.1:${port}/?replicaSet=rs0`;

const ours: Side = {
  codecs: async () => {
    const { bson, decode, encode } = await import('@tessera/bson');
    return () => {
      const shape = bson.shape();
      return {
        encode: document => encode(document, shape),
        decode: bytes => decode(bytes, shape),
      };
    };
  },
  clients: async () => {
    const { MongoClient } = await import('@tessera/mongodb');
    return (uri, options) => new MongoClient(uri, options) as unknown as Client;
  },
};

const theirs: Side = {
  codecs: async () => {
    const { deserialize, serialize } = await import('bson');
    return () => ({ encode: document => serialize(document), decode: bytes => deserialize(bytes) });
  },
  clients: async () => {
    const { MongoClient } = await import('mongodb');
    return (uri, options) => new MongoClient(uri, options) as unknown as Client;
  },
};

const bare: Side = {
  codecs: () => ours.codecs(),
  clients: async () => (await import('./bare.js')).newBareClient,
};

export const programs: Readonly<Record<Program, Side>> = { ours, theirs, bare };

/** Returns a client that is connected to the null server without TLS. */
export const connect = async (side: SideName, port: number): Promise<Client> => {
  const newClient = await programs[side].clients();
  const client = newClient(nullUri(port));
  await client.connect();
  return client;
};

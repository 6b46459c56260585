import type { Document } from './documents/varied.js';

/** The two that are compared. */
export type SideName = 'ours' | 'theirs';
export const sideNames: readonly SideName[] = ['ours', 'theirs'];

/** Who runs: the driver, the official one, or, to see what the driver adds to them, its pool and connection alone. */
export type Program = SideName | 'bare';

/** How the two are called in what people read. */
export const sideTitles: Readonly<Record<SideName, string>> = { ours: 'ours', theirs: 'official' };

/** The documents of one collection to bytes and back. */
export interface Codec {
  encode(document: Document): Uint8Array;
  decode(bytes: Uint8Array): Document;
}

export interface ReadOptions {
  readonly signal?: AbortSignal;
}

/** What both drivers offer under the same names. */
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

/** What both drivers are told in the same words. */
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

/** Makes a client that is yet to connect. */
export type NewClient = (uri: string, options?: ClientOptions) => Client;

/** A program's module is loaded when it is asked for. */
export interface Side {
  /** A codec for each collection. */
  codecs(): Promise<() => Codec>;
  clients(): Promise<NewClient>;
}

/** The null server, by one of its ports. */
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

/** A client that has found the null server in the clear. */
export const connect = async (side: SideName, port: number): Promise<Client> => {
  const newClient = await programs[side].clients();
  const client = newClient(nullUri(port));
  await client.connect();
  return client;
};

import type { Document } from './documents/varied.js';

/** The two compared drivers: Tessera and the official driver. */
export type SideName = 'ours' | 'theirs';
export const sideNames: readonly SideName[] = ['ours', 'theirs'];

/** Compared with Tessera instead of the official driver: only its pool and connection, or only a socket. */
export type Floor = 'bare' | 'socket';

/** The program of a worker. */
export type Program = SideName | Floor;

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
  bulkWrite(writes: readonly Document[], options: { readonly ordered: boolean }): Promise<BulkResult>;
  watch(pipeline: readonly Document[], options: { readonly batchSize: number }): ChangeStream;
}

export interface Cursor extends AsyncIterable<Document> {
  toArray(): Promise<Document[]>;
}

export interface ChangeStream extends AsyncIterable<Document> {
  close(): Promise<void>;
}

/** The counts that both drivers report, of a collection and of a client. */
export type BulkResult = Readonly<
  Record<'insertedCount' | 'matchedCount' | 'modifiedCount' | 'deletedCount' | 'upsertedCount', number>
>;

/** A GridFS bucket. */
export interface Bucket {
  openUploadStream(name: string): NodeJS.WritableStream & { readonly id: unknown };
  openDownloadStream(id: unknown): NodeJS.ReadableStream;
}

export interface Database {
  command(command: Document): Promise<Document>;
  collection(name: string): Collection;
}

export interface Client {
  connect(): Promise<unknown>;
  on(event: 'connectionReady', listener: () => void): unknown;
  db(name: string): Database;
  bulkWrite(writes: readonly Document[], options: { readonly ordered: boolean }): Promise<BulkResult>;
  /** Returns the default bucket of a database. */
  bucket(database: string): Bucket;
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
  readonly maxConnecting?: number;
  readonly appName?: string;
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
    const { GridFSBucket, MongoClient } = await import('@tessera/mongodb');
    return (uri, options) => {
      const client = new MongoClient(uri, options);
      const bucket: Client['bucket'] = database => new GridFSBucket(client.db(database));
      return Object.assign(client as unknown as Client, { bucket });
    };
  },
};

const theirs: Side = {
  codecs: async () => {
    const { deserialize, serialize } = await import('bson');
    return () => ({ encode: document => serialize(document), decode: bytes => deserialize(bytes) });
  },
  clients: async () => {
    const { GridFSBucket, MongoClient } = await import('mongodb');
    return (uri, options) => {
      const client = new MongoClient(uri, options);
      const bucket: Client['bucket'] = database => new GridFSBucket(client.db(database));
      return Object.assign(client as unknown as Client, { bucket });
    };
  },
};

const bare: Side = {
  codecs: () => ours.codecs(),
  clients: async () => (await import('./bare.js')).newBareClient,
};

/** The modules of each program except the socket, which has neither codec nor client. */
export const programs: Readonly<Record<Exclude<Program, 'socket'>, Side>> = { ours, theirs, bare };

/** Returns a client that is connected to the null server without TLS. */
export const connect = async (side: SideName, port: number): Promise<Client> => {
  const newClient = await programs[side].clients();
  const client = newClient(nullUri(port));
  await client.connect();
  return client;
};

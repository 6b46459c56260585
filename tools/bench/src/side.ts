import type { Document } from './documents/varied.js';

/** The two that are compared. */
export type SideName = 'ours' | 'theirs';
export const sideNames: readonly SideName[] = ['ours', 'theirs'];

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
  db(name: string): Database;
  close(): Promise<void>;
}

/** One of the two: its module is loaded when it is asked for. */
export interface Side {
  /** A codec for each collection. */
  codecs(): Promise<() => Codec>;
  connect(port: number): Promise<Client>;
}

const address = (port: number): string => `mongodb://127.0.0.1:${port}/?replicaSet=rs0`;

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
  connect: async port => {
    const { MongoClient } = await import('@tessera/mongodb');
    return (await new MongoClient(address(port)).connect()) as unknown as Client;
  },
};

const theirs: Side = {
  codecs: async () => {
    const { deserialize, serialize } = await import('bson');
    return () => ({ encode: document => serialize(document), decode: bytes => deserialize(bytes) });
  },
  connect: async port => {
    const { MongoClient } = await import('mongodb');
    return (await new MongoClient(address(port)).connect()) as unknown as Client;
  },
};

export const sides: Readonly<Record<SideName, Side>> = { ours, theirs };

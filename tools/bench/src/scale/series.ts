/** Work whose size varies. The cost of one unit of the work should not depend on the size. */
import type { Document } from '../documents/varied.js';
import { pageDocuments, pagesDocuments } from '../null-server/cursor-replies.js';
import type { NullPlaces } from '../places.js';
import { nullUri } from '../side.js';
import type { Client, ClientOptions, NewClient } from '../side.js';

export interface Session {
  endSession(): Promise<unknown>;
}

export interface ScaleClient extends Client {
  startSession(): Session;
}

/** Work of one size, on an open client. */
export interface Job {
  /** The number of units of one call of `work`. */
  readonly units: number;
  readonly work: () => Promise<void>;
  /**
   * Creates the objects whose memory is measured: as many as the size. Resolves with a function that releases them.
   * Undefined: the memory is not measured.
   */
  readonly hold?: () => Promise<() => Promise<void>>;
}

export interface Series {
  readonly name: string;
  /** The unit of the cost. */
  readonly unit: string;
  readonly sizes: readonly number[];
  /** Options and address of the client for a size. Default: a client of one server. */
  readonly client?: (size: number) => ClientOptions;
  readonly uri?: (size: number, places: NullPlaces) => string;
  /** @param least the least number of units of one call of `work` */
  readonly job: (client: ScaleClient, size: number, least: number) => Job;
}

/** Runs calls of `operate` so that `width` are in flight until `count` have completed. */
const inFlight = async (width: number, count: number, operate: (index: number) => Promise<unknown>): Promise<void> => {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) await operate(next++);
  };
  await Promise.all(Array.from({ length: width }, lane));
};

const findJob = (client: Client, width: number, least: number): Job => {
  const collection = client.db('bench').collection('one');
  const units = Math.max(least, width);
  return { units, work: () => inFlight(width, units, index => collection.findOne({ _id: index }, {})) };
};

/** Addresses of the loopback network, which reach the same server. */
const loopbacks = (count: number, port: number): string =>
  Array.from({ length: count }, (_, index) => `127.0.${(index + 1) >> 8}.${(index + 1) & 255}:${port}`).join(',');

/** A document of about `bytes` bytes of BSON, made of small documents. */
const documentOf = (bytes: number): Document => ({
  items: Array.from({ length: Math.ceil(bytes / 100) }, (_, index) => ({
    number: index,
    name: `item ${index}`,
    place: 'the third shelf on the left',
    sold: false,
  })),
});

/**
 * Reads many cursors in turn. Their batches are small: large ones would measure the caches of the processor, through
 * which the bytes of all open cursors pass.
 */
const cursorJob = (client: Client, size: number, least: number): Job => {
  const collection = client.db('bench').collection('pages');
  const open = (): AsyncIterator<Document>[] =>
    Array.from({ length: size }, () => collection.find({}, { batchSize: pageDocuments })[Symbol.asyncIterator]());
  const repeats = Math.ceil((least * 4) / (size * pagesDocuments));
  const close = async (cursors: readonly AsyncIterator<Document>[]): Promise<void> => {
    await Promise.all(cursors.map(async cursor => cursor.return?.()));
  };
  return {
    units: size * pagesDocuments * repeats,
    work: async () => {
      for (let repeat = 0; repeat < repeats; repeat++) {
        const cursors = open();
        for (let read = 0; read < pagesDocuments; read++) await Promise.all(cursors.map(cursor => cursor.next()));
        await close(cursors);
      }
    },
    hold: async () => {
      const cursors = open();
      await Promise.all(cursors.map(cursor => cursor.next()));
      return () => close(cursors);
    },
  };
};

const sessionJob = (client: ScaleClient, size: number, least: number): Job => {
  const collection = client.db('bench').collection('one');
  const find = (session: Session): Promise<unknown> => collection.findOne({ _id: 1 }, { session } as object);
  const repeats = Math.ceil(least / size);
  const open = async (): Promise<Session[]> => {
    const sessions = Array.from({ length: size }, () => client.startSession());
    await inFlight(Math.min(size, 100), size, index => find(sessions[index]!));
    return sessions;
  };
  const end = async (sessions: readonly Session[]): Promise<void> => {
    await Promise.all(sessions.map(session => session.endSession()));
  };
  return {
    units: size * repeats,
    work: async () => {
      for (let repeat = 0; repeat < repeats; repeat++) await end(await open());
    },
    hold: async () => {
      const sessions = await open();
      return () => end(sessions);
    },
  };
};

const insertJob = (client: Client, bytes: number, least: number): Job => {
  const collection = client.db('bench').collection('orders');
  const document = documentOf(bytes);
  const kilobytes = bytes / 1000;
  const repeats = Math.max(2, Math.min(20_000, Math.ceil((least * 2) / kilobytes)));
  return {
    units: repeats * kilobytes,
    work: async () => {
      for (let repeat = 0; repeat < repeats; repeat++) await collection.insertOne({ ...document });
    },
  };
};

const batchJob = (client: Client, size: number, least: number): Job => {
  const collection = client.db('bench').collection('bulk');
  // A document takes less than a microsecond.
  const repeats = Math.max(1, Math.ceil((least * 40) / size));
  return {
    units: repeats * size,
    work: async () => {
      for (let repeat = 0; repeat < repeats; repeat++)
        await collection.insertMany(
          Array.from({ length: size }, (_, index) => ({ _id: index, name: `order ${index}` })),
        );
    },
  };
};

export const allSeries: readonly Series[] = [
  { name: 'operations in flight', unit: 'operation', sizes: [1, 10, 100, 1000, 10_000], job: findJob },
  {
    name: 'connections',
    unit: 'operation',
    sizes: [1, 10, 100, 1000],
    client: size => ({ maxPoolSize: size, minPoolSize: size, maxConnecting: 10 }),
    job: findJob,
  },
  {
    name: 'mongoses',
    unit: 'operation',
    sizes: [1, 10, 100, 500],
    uri: (size, { mongosPort }) => `mongodb://${loopbacks(size, mongosPort)}/`,
    job: (client, size, least) => findJob(client, 100, Math.max(least, size * 40)),
  },
  { name: 'open cursors', unit: 'document', sizes: [1, 10, 100, 1000], job: cursorJob },
  { name: 'sessions', unit: 'session', sizes: [1, 100, 1000, 10_000], job: sessionJob },
  { name: 'bytes of a document', unit: 'kilobyte', sizes: [100, 10_000, 1_000_000, 15_000_000], job: insertJob },
  { name: 'documents of a batch', unit: 'document', sizes: [10, 1000, 10_000, 100_000], job: batchJob },
];

/** Opens the client of a series for a size. */
export const openClient = async (
  newClient: NewClient,
  series: Series,
  size: number,
  places: NullPlaces,
): Promise<ScaleClient> => {
  const uri = series.uri?.(size, places) ?? nullUri(places.port);
  const client = newClient(uri, series.client?.(size) ?? {}) as ScaleClient;
  await client.connect();
  return client;
};

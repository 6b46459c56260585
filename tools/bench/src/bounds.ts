import type { Counters } from './counters/counters.js';

/** Bounds of a codec. Only the heap matters: a codec creates no promises and uses no sockets. */
const codec = (heapBytes: number): Counters => ({ promises: 0, writes: 0, heapBytes, listeners: 0 });

const command = (heapBytes: number): Counters => ({ promises: 3.5, writes: 1, heapBytes, listeners: 0 });

/** A login. Each client waits for the module of its mechanism, which takes about twenty promises. */
const login: Counters = { promises: 155, writes: 8, heapBytes: 325_000, listeners: 0 };

/**
 * The maximum cost of one operation, by row name. The heap bound is 25 % above the measured value, because allocation
 * depends on what the engine has compiled. Raise a bound only with a reason; lower it when the driver improves. A
 * listener that remains after an operation is a leak.
 */
export const bounds: Readonly<Record<string, Counters>> = {
  'encode-flat': codec(3_400),
  'encode-deep': codec(5_500),
  'encode-full': codec(3_400),
  'encode-tweet': codec(1_600),
  'encode-small': codec(525),
  'encode-large': codec(1_900_000),
  'encode-varied': codec(1_000),
  'decode-flat': codec(9_300),
  'decode-deep': codec(5_200),
  'decode-full': codec(11_100),
  'decode-tweet': codec(2_600),
  'decode-small': codec(420),
  'decode-large': codec(25_000_000),
  'decode-varied': codec(2_600),
  ping: command(5_700),
  findOne: command(6_900),
  'stack-findOne': command(6_900),
  insertOne: command(5_700),
  'socket-floor': command(6_900),
  // Inserts 1,000 documents, which the operation also creates.
  insertMany: { promises: 10, writes: 1, heapBytes: 1_400_000, listeners: 0 },
  // Reads 10,000 documents in ten batches. The documents take 18 MB.
  toArray: { promises: 52, writes: 10, heapBytes: 24_000_000, listeners: 0 },
  forAwait: { promises: 20_100, writes: 10, heapBytes: 27_000_000, listeners: 0 },
  // A thousand writes in three commands, or in one.
  bulkWrite: { promises: 21, writes: 3, heapBytes: 1_060_000, listeners: 0 },
  'client-bulkWrite': { promises: 20, writes: 1, heapBytes: 800_000, listeners: 0 },
  // A file of 100 MB in 402 chunks.
  'gridfs-up': { promises: 6_300, writes: 85, heapBytes: 4_300_000, listeners: 0 },
  'gridfs-down': { promises: 5_400, writes: 8, heapBytes: 2_800_000, listeners: 0 },
  // Receives 10,000 events in ten batches.
  changeStream: { promises: 20_600, writes: 12, heapBytes: 28_500_000, listeners: 0 },
  // OpenSSL's ciphers use no JavaScript heap; the streams of Node.js do.
  'tls-findOne': command(7_900),
  'zlib-toArray': { promises: 95, writes: 10, heapBytes: 24_000_000, listeners: 0 },
  // Each operation opens a client with its monitors.
  'scram-hot': login,
  'scram-cold': login,
  // Opens a client with a hundred connections, each of which sends hello, the proof and a ping.
  'scram-hundred': { promises: 4_200, writes: 310, heapBytes: 7_500_000, listeners: 0 },
};

import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import type { Document } from '../documents/varied.js';
import { batchEvents, changeEvents, fileId } from '../null-server/cursor-replies.js';
import type { Client } from '../side.js';
import type { Work } from './work.js';

/** Creates work whose result is the same each time. */
const streaming = (operate: () => Promise<unknown>, verify: () => Promise<unknown>): Work => ({
  operate,
  asynchronous: true,
  outcome: result => result,
  verify,
});

/** Receives the events of a change stream and closes it after the last one. */
const receive = async (client: Client, each: (event: Document) => void): Promise<number> => {
  const stream = client.db('bench').collection('changes').watch([], { batchSize: batchEvents });
  let count = 0;
  for await (const event of stream) {
    each(event);
    count += 1;
    if (count === changeEvents) break;
  }
  await stream.close();
  return count;
};

const changeStream = (client: Client): Work => {
  const ofAll = async (): Promise<unknown> => {
    const events: Document[] = [];
    await receive(client, event => events.push(event));
    return events;
  };
  return streaming(async () => {
    let last: Document | undefined;
    const count = await receive(client, event => (last = event));
    return { count, last };
  }, ofAll);
};

/** The size of the parts in which an application writes a file, as those of a file stream. */
const partBytes = 64 * 1024;

function* parts(bytes: number): Generator<Buffer> {
  const part = Buffer.alloc(partBytes, 'written in parts ');
  for (let rest = bytes; rest > 0; rest -= partBytes) yield rest < partBytes ? part.subarray(0, rest) : part;
}

const upload = (client: Client, bytes: number): Work => {
  const store = async (): Promise<unknown> => {
    await pipeline(parts(bytes), client.bucket('bench').openUploadStream('written'));
    return bytes;
  };
  return streaming(store, store);
};

const download = (client: Client): Work => {
  const load = async (each: (part: Uint8Array) => void): Promise<number> => {
    let length = 0;
    for await (const part of client.bucket('bench').openDownloadStream(fileId)) {
      const bytes = part as Buffer;
      length += bytes.length;
      each(bytes);
    }
    return length;
  };
  return streaming(
    () => load(() => undefined),
    async () => {
      const hash = createHash('sha256');
      const length = await load(part => hash.update(part));
      return { length, hash: hash.digest('hex') };
    },
  );
};

/** Creates the work of change streams and of files. */
export const createStreamWorks = (client: Client, fileBytes: number): ReadonlyMap<string, Work> =>
  new Map([
    ['changeStream', changeStream(client)],
    ['gridfs-up', upload(client, fileBytes)],
    ['gridfs-down', download(client)],
  ]);

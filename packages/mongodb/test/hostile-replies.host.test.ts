import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { inspect } from 'node:util';
import { deflateSync } from 'node:zlib';
import { MongoClient, MongoError } from '@tessera/mongodb';
import { createSnappy } from '@tessera/snappy';
import { createZstd } from '@tessera/zstd';
import { BSON } from 'bson';
import type { Document } from 'bson';
import { afterEach, expect, test } from 'vitest';

// A malicious server that answers each hello correctly, and each find as the test specifies. The client must fail soon
// with one clear error, and keep no memory.

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  while (closing.length > 0) await closing.pop()?.();
});

const OP_MSG = 2013;
const OP_COMPRESSED = 2012;
const [SNAPPY, ZLIB, ZSTD] = [1, 2, 3];

const int32 = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, index) => bytes.writeInt32LE(value, 4 * index));
  return bytes;
};
/** Returns a frame. The length in its header is the real one, unless another is given. */
const frame = (responseTo: number, opCode: number, content: Buffer, length = 16 + content.length): Buffer =>
  Buffer.concat([int32(length, 1, responseTo, opCode), content]);
const opMsg = (responseTo: number, document: Document, flags = 0): Buffer =>
  frame(responseTo, OP_MSG, Buffer.concat([int32(flags), Buffer.of(0), BSON.serialize(document)]));
/** Returns an OP_COMPRESSED message whose header announces an uncompressed size of `size` bytes. */
const packed = (to: number, compressor: number, size: number, content: Uint8Array, opCode = OP_MSG): Buffer =>
  frame(to, OP_COMPRESSED, Buffer.concat([int32(opCode, size), Buffer.of(compressor), content]));

const HELLO = {
  ismaster: true,
  helloOk: true,
  minWireVersion: 0,
  maxWireVersion: 25,
  compression: ['zlib', 'snappy', 'zstd'],
  ok: 1,
};

/** Writes a reply to the request with the id `to`. */
type Answer = (to: number, socket: Socket) => void;

const createMaliciousServer = async (answer: Answer): Promise<{ readonly uri: string; finds(): number }> => {
  const sockets = new Set<Socket>();
  let finds = 0;
  const server = createServer(socket => {
    sockets.add(socket);
    let bytes = Buffer.alloc(0);
    let greeted = 0;
    socket.on('error', () => undefined);
    socket.on('data', more => {
      bytes = Buffer.concat([bytes, more]);
      while (bytes.length >= 16 && bytes.length >= bytes.readInt32LE(0)) {
        const [length, id, opCode] = [bytes.readInt32LE(0), bytes.readInt32LE(4), bytes.readInt32LE(12)];
        const command = opCode === OP_MSG ? BSON.deserialize(bytes.subarray(21, length)) : { find: 1 };
        bytes = bytes.subarray(length);
        if ('hello' in command || 'isMaster' in command) {
          greeted += 1;
          // The second hello comes from a streaming monitor; it gets no reply.
          if (greeted === 1) socket.write(opMsg(id, HELLO));
        } else {
          finds += 1;
          answer(id, socket);
        }
      }
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise(resolve => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { uri: `mongodb://127.0.0.1:${port}/?directConnection=true`, finds: () => finds };
};

interface Outcome {
  readonly message: string;
  readonly finds: number;
}

const findAgainst = async (answer: Answer): Promise<Outcome> => {
  const { uri, finds } = await createMaliciousServer(answer);
  const client = new MongoClient(uri, {
    compressors: ['zlib', 'snappy', 'zstd'],
    socketTimeoutMS: 400,
    parts: { compressors: [createSnappy(), createZstd()] },
  });
  closing.push(() => client.close());
  const began = performance.now();
  const error: unknown = await client
    .db()
    .collection('films')
    .findOne({ password: 'hunter2' })
    .catch((reason: unknown) => reason);
  expect(performance.now() - began).toBeLessThan(5000);
  expect(error).toBeInstanceOf(MongoError);
  expect(inspect(error, { depth: 20 })).not.toContain('hunter2');
  return { message: (error as MongoError).message, finds: finds() };
};

const bomb = deflateSync(Buffer.alloc(100 << 20));
/** A zstd frame with 800 blocks, each of one byte repeated 131,072 times: 100 MB uncompressed. */
const zstdBomb = Buffer.concat([
  Buffer.of(0x28, 0xb5, 0x2f, 0xfd, 0, 0x50),
  ...Array.from({ length: 800 }, (_, index) => {
    const header = (131_072 << 3) | (1 << 1) | (index === 799 ? 1 : 0);
    return Buffer.of(header & 0xff, (header >>> 8) & 0xff, header >>> 16, 0);
  }),
]);
const MOST = 48_000_000;

test.each<readonly [string, Answer, RegExp]>([
  [
    'a zlib bomb that announces 1 KB',
    (to, socket) => socket.write(packed(to, ZLIB, 1024, bomb)),
    /the content is longer/,
  ],
  ['a zlib bomb that announces 48 MB', (to, s) => s.write(packed(to, ZLIB, MOST, bomb)), /the content is longer/],
  [
    'a zstd bomb that announces 1 KB',
    (to, socket) => socket.write(packed(to, ZSTD, 1024, zstdBomb)),
    /zstd data: expected 1024 bytes, but decompression failed/,
  ],
  [
    'a snappy bomb that announces 10 bytes',
    (to, socket) => socket.write(packed(to, SNAPPY, MOST, Buffer.of(0x80, 0xd8, 0xf1, 0x16, 36, ...Buffer.alloc(10)))),
    /snappy data: expected 48000000 bytes, but 15 compressed bytes cannot hold them/,
  ],
  [
    'less data than announced',
    (to, socket) => socket.write(packed(to, ZLIB, 5000, deflateSync(Buffer.alloc(100)))),
    /expected 5000 bytes, but the content has 100/,
  ],
  [
    'a compressed message that announces 2 GB',
    (to, socket) => socket.write(packed(to, ZLIB, 0x7fffffff, bomb)),
    /size of 2147483647 bytes is invalid/,
  ],
  [
    'a compressed message that announces a negative size',
    (to, s) => s.write(packed(to, ZLIB, -1, bomb)),
    /size of -1 bytes is invalid/,
  ],
  [
    'a compressed message inside a compressed message',
    (to, socket) => socket.write(packed(to, 0, 100, Buffer.alloc(100), OP_COMPRESSED)),
    /a message of opcode 2012 must not be compressed/,
  ],
  ['an unknown compressor', (to, s) => s.write(packed(to, 77, 100, bomb)), /compressor 77 was not negotiated/],
  ['a frame of 2 GB', (to, s) => s.write(frame(to, OP_MSG, Buffer.alloc(5), 0x7fffffff)), /of 2147483647 bytes/],
  [
    'a frame of 5 bytes',
    (to, s) => s.write(frame(to, OP_MSG, Buffer.alloc(5), 5)),
    /Invalid message length of 5 bytes/,
  ],
  [
    'a frame of negative length',
    (to, s) => s.write(frame(to, OP_MSG, Buffer.alloc(5), -1)),
    /Invalid message length of -1 bytes/,
  ],
  [
    'a frame that is cut off when the connection closes',
    (to, socket) => socket.end(opMsg(to, { ok: 1 }).subarray(0, 30)),
    /closed the connection while 'find' was under way/,
  ],
  [
    'a frame that never ends',
    (to, socket) => socket.write(opMsg(to, { ok: 1 }).subarray(0, 30)),
    /'find' at .* was not answered within \d+ ms/,
  ],
  [
    'a reply to a request that was never sent',
    (to, socket) => socket.write(opMsg(to + 1000, { ok: 1 })),
    /sent a reply to request \d+, but the reply to \d+ was expected/,
  ],
  [
    'an endless series of moreToCome replies',
    (to, socket) => {
      for (let n = 0; n < 1000; n += 1) socket.write(opMsg(to, { ok: 1 }, 2));
    },
    /set moreToCome, but the request allows only one reply/,
  ],
  [
    'a document that is not valid BSON',
    (to, socket) => socket.write(frame(to, OP_MSG, Buffer.concat([int32(0), Buffer.alloc(40, 7)]))),
    /violates MongoDB/,
  ],
  [
    'a cursor that is not a document',
    (to, socket) => socket.write(opMsg(to, { ok: 1, cursor: 'hm' })),
    /answered without a cursor/,
  ],
])('a server that replies with %s causes one error', async (_, answer, expected) => {
  const { message, finds } = await findAgainst(answer);
  expect(message).toMatch(expected);
  expect(message.length).toBeLessThan(1000);
  // A read whose connection is lost is retried once.
  expect(finds).toBeLessThanOrEqual(2);
});

test('compression bombs leave no memory in use, however many arrive', async () => {
  const { uri } = await createMaliciousServer((to, socket) => socket.write(packed(to, ZLIB, MOST, bomb)));
  const client = new MongoClient(uri, {
    compressors: ['zlib'],
  });
  closing.push(() => client.close());
  const hold = async (): Promise<number> => {
    for (let n = 0; n < 5; n += 1)
      await client
        .db()
        .collection('films')
        .findOne()
        .catch(() => undefined);
    globalThis.gc?.();
    return process.memoryUsage().arrayBuffers;
  };
  const first = await hold();
  expect((await hold()) - first).toBeLessThan(2 * MOST);
});

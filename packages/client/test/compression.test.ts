import { MongoClient } from '@tessera/client';
import type { CompressorName, MongoClientOptions } from '@tessera/client';
import type { Compressor, Runtime, Socket, Transport } from '@tessera/contracts';
import { createNode, createZlib } from '@tessera/node';
import { createServer } from '@tessera/server';
import type { ServerOptions } from '@tessera/server';
import { createWorld } from '@tessera/sim';
import { createSnappy } from '@tessera/snappy';
import { createZstd } from '@tessera/zstd';
import { deserialize } from 'bson';
import { describe, expect, test } from 'vitest';
import { messagesIn, receiving } from './received.js';
import type { Received } from './received.js';
import { withServers } from './with-servers.js';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

const all: readonly Compressor[] = [createSnappy(), createZlib(), createZstd()];
const names = all.map(({ name }) => name as CompressorName);

/** Describes a frame that a client wrote: the name of the command, and the compressor of a compressed frame. */
const sentence = (frame: Uint8Array): string => {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.length);
  const opCode = view.getInt32(12, true);
  if (opCode === 2012) return `by ${all.find(({ id }) => id === frame[24])?.name}`;
  return Object.keys(deserialize(frame.subarray(21)))[0]!;
};

/** Returns a transport that records the frames that the client writes. */
const tapped = (transport: Transport, recorded: string[]): Transport => ({
  connect: async (to, options) => {
    const socket = await transport.connect(to, options);
    const write = socket.write.bind(socket);
    const listening: Socket = Object.create(socket, {
      write: {
        value: (bytes: Uint8Array) => {
          recorded.push(sentence(bytes));
          return write(bytes);
        },
      },
      listen: { value: socket.listen.bind(socket) },
      end: { value: socket.end.bind(socket) },
      destroy: { value: socket.destroy.bind(socket) },
    }) as Socket;
    return listening;
  },
});

/** Returns compressors that record each reply that the server compresses. */
const counted = (compressors: readonly Compressor[], replies: string[]): readonly Compressor[] =>
  compressors.map(({ id, name, compress, decompress }) => ({
    id,
    name,
    decompress,
    compress: bytes => {
      replies.push(name);
      return compress(bytes);
    },
  }));

interface Setup {
  readonly client: MongoClient;
  /** Returns the frames sent since the previous call. */
  sent(): readonly string[];
  /** The compressors of the server's replies. */
  readonly replies: readonly string[];
  readonly warnings: readonly string[];
  /** Creates another client with the same options. */
  again(uri: string): MongoClient;
}

interface Setting {
  readonly ofServer?: readonly Compressor[];
  readonly server?: ServerOptions;
  readonly uri?: string;
  readonly client?: MongoClientOptions;
  /** The compressors to pass to the client in addition to those of its runtime. Default: all. */
  readonly passed?: readonly string[];
}

const inWorld = async (
  respond: (setup: Setup) => Promise<void>,
  { ofServer = all, server: serverOptions, uri = 'mongodb://db1/shop', client: options = {}, passed = names }: Setting,
): Promise<void> => {
  const world = createWorld({ turn, compressors: all, crypto: createNode().crypto });
  await world.run(async () => {
    const replies: string[] = [];
    const spoken = world.runtime.compressors.filter(({ name }) => ofServer.some(each => each.name === name));
    const server = createServer({ ...world.at('db1'), compressors: counted(spoken, replies) }, serverOptions);
    const listening = await server.listen('db1:27017');
    const recorded: string[] = [];
    const warnings: string[] = [];
    const runtime: Runtime = {
      ...world.runtime,
      compressors: [],
      transport: tapped(world.runtime.transport, recorded),
      host: { ...world.runtime.host, warn: warning => warnings.push(warning) },
    };
    const compressors = world.runtime.compressors.filter(({ name }) => passed.includes(name));
    const again = (to: string): MongoClient => new MongoClient(to, options, { runtime, parts: { compressors } });
    const client = again(uri);
    try {
      await respond({ client, sent: () => recorded.splice(0), replies, warnings, again });
    } finally {
      await client.close();
      await listening.close();
      await server.close();
    }
    await world.runtime.clock.sleep(2_000);
  });
  expect(world.leftovers()).toEqual([]);
};

const orders = Array.from({ length: 300 }, (_, _id) => ({ _id, text: `order ${_id} `.repeat(30) }));
/** Returns whether the command belongs to a monitor or a handshake. */
const isHello = (command: string): boolean => /^(?:hello|ismaster)$/i.test(command);

describe('OP_COMPRESSED "MongoDB Handshake Amendment"', () => {
  test.each(names)('with %s, every command and reply is compressed after the handshake', async name => {
    await inWorld(
      async ({ client, sent, replies }) => {
        const collection = client.db().collection<{ _id: number; text: string }>('orders');
        await collection.insertMany(orders);
        expect(await collection.find({}, { batchSize: 120 }).toArray()).toEqual(orders);
        expect(await client.db().command({ ping: 1 })).toEqual({ ok: 1 });
        const commands = sent().filter(command => !isHello(command));
        expect(commands).toEqual(new Array(5).fill(`by ${name}`));
        expect(replies).toEqual(new Array(5).fill(name));
      },
      { client: { compressors: [name] } },
    );
  });

  test("the first compressor of the client's list that the server also supports is used, in any order of the server", async () => {
    const used = async (compressors: CompressorName[], ofServer: readonly Compressor[]): Promise<string> => {
      let command = '';
      const respond = async ({ client, sent }: Setup): Promise<void> => {
        await client.db().command({ ping: 1 });
        command = sent().find(each => !isHello(each))!;
      };
      await inWorld(respond, { ofServer, client: { compressors } });
      return command;
    };
    expect(await used(['zstd', 'zlib', 'snappy'], all)).toBe('by zstd');
    expect(await used(['zstd', 'zlib', 'snappy'], all.slice(0, 2))).toBe('by zlib');
    expect(await used(['snappy', 'zlib'], all)).toBe('by snappy');
    expect(await used(['snappy'], [])).toBe('ping');
    expect(await used([], all)).toBe('ping');
  });
});

test('OP_COMPRESSED "Messages not allowed to be compressed": these commands are uncompressed, and all others are compressed', async () => {
  const secret = [
    ...['saslStart', 'saslContinue', 'getnonce', 'authenticate', 'createUser', 'updateUser'],
    ...['copydbSaslStart', 'copydbgetnonce', 'copydb'],
  ];
  await inWorld(
    async ({ client, sent }) => {
      await client.db().command({ ping: 1 });
      const greeting = sent();
      expect(new Set(greeting)).toEqual(new Set(['isMaster', 'hello', 'saslContinue', 'by snappy']));
      expect(greeting.filter(each => each.startsWith('by'))).toEqual(['by snappy']);
      for (const name of [...secret, 'hello', 'ismaster', 'dropUser']) {
        await client
          .db('admin')
          .command({ [name]: 1 })
          .catch(() => undefined);
        expect(sent().filter(command => command !== 'hello' || name === 'hello')).toEqual([
          name === 'dropUser' ? 'by snappy' : name,
        ]);
      }
    },
    {
      uri: 'mongodb://ann:secret@db1/?authMechanism=SCRAM-SHA-256',
      server: { users: [{ user: 'ann', pwd: 'secret' }] },
      client: { compressors: ['snappy'] },
    },
  );
});

describe('the test plan', () => {
  const [snappy] = all;
  const pinged = async (compressors: string, ofServer: readonly Compressor[]): Promise<unknown> => {
    let seen: unknown;
    const respond = async ({ client, sent, replies, warnings }: Setup): Promise<void> => {
      expect(await client.db('admin').command({ ping: 1 })).toEqual({ ok: 1 });
      seen = { ping: sent().filter(command => !isHello(command)), reply: [...replies], warnings: [...warnings] };
    };
    await inWorld(respond, { uri: `mongodb://db1/shop?compressors=${compressors}`, ofServer });
    return seen;
  };

  test('OP_COMPRESSED, prose test 1: compressors=snappy compresses the ping and its reply', async () => {
    expect(await pinged('snappy', [snappy!])).toEqual({ ping: ['by snappy'], reply: ['snappy'], warnings: [] });
  });

  test('OP_COMPRESSED, prose test 2: an unknown compressor causes a warning and no compression', async () => {
    expect(await pinged('snoopy', [snappy!])).toEqual({
      ping: ['ping'],
      reply: [],
      warnings: [
        "The compressor 'snoopy' is not available and is ignored: there are snappy, zlib, zstd, and those in parts.compressors.",
      ],
    });
  });

  test('OP_COMPRESSED, prose test 2: an unknown compressor is not offered to the server', async () => {
    const received: Received = [];
    await withServers(
      [{}],
      async ({ world, open }) => {
        const runtime = { ...world.runtime, host: { ...world.runtime.host, warn: () => undefined } };
        await open('mongodb://db1/?compressors=snoopy', { runtime }).db('admin').command({ ping: 1 });
      },
      runtime => receiving(runtime, received),
    );
    const offers = messagesIn(received).flatMap(({ body }) =>
      'client' in body ? [body['compression'] as unknown] : [],
    );
    expect(offers.length).toBeGreaterThanOrEqual(2);
    expect(offers).toEqual(offers.map(() => []));
  });

  test('OP_COMPRESSED, prose tests 3, 4: the first compressor of the list is used', async () => {
    expect(await pinged('snappy,zlib', all)).toMatchObject({ ping: ['by snappy'], reply: ['snappy'] });
    expect(await pinged('zlib,snappy', all)).toMatchObject({ ping: ['by zlib'], reply: ['zlib'] });
  });

  test('OP_COMPRESSED, prose tests 5, 6: authentication commands and createUser are uncompressed, serverStatus is compressed, with their replies', async () => {
    const world = { server: { users: [{ user: 'ann', pwd: 'secret' }] }, client: { compressors: ['snappy' as const] } };
    const create = { createUser: 'bob', pwd: 'hidden', roles: ['root'], mechanisms: ['SCRAM-SHA-1'] };
    await inWorld(
      async ({ client, sent, replies, again }) => {
        const commandsOf = async (run: () => Promise<unknown>): Promise<readonly string[]> => {
          await run();
          return sent().filter(command => command !== 'isMaster' && command !== 'hello');
        };
        const admin = client.db('admin');
        expect(await commandsOf(() => admin.command({ hello: 1 }))).toEqual(['saslContinue']);
        expect(await commandsOf(() => admin.command(create))).toEqual(['createUser']);
        expect(await commandsOf(() => admin.command({ serverStatus: 1 }))).toEqual(['by snappy']);
        expect(replies).toEqual(['snappy']);
        const bob = again('mongodb://bob:hidden@db1/?authMechanism=SCRAM-SHA-1');
        const emitted = await commandsOf(() => bob.db('admin').command({ serverStatus: 1 }));
        expect(emitted).toEqual(['saslContinue', 'by snappy']);
        expect(replies).toEqual(['snappy', 'snappy']);
        await bob.close();
      },
      { uri: 'mongodb://ann:secret@db1/?authMechanism=SCRAM-SHA-1', ...world },
    );
  });
});

describe('OP_COMPRESSED "compressors"', () => {
  test('an unknown or unavailable compressor causes a warning and is not offered', async () => {
    await inWorld(
      async ({ client, sent, warnings }) => {
        await client.db().command({ ping: 1 });
        expect(sent().filter(command => !isHello(command))).toEqual(['by zlib']);
        expect(warnings).toEqual([
          "The compressor 'zstd' is not available and is ignored: pass createZstd() of @tessera/zstd as parts: { compressors: [...] }.",
          "The compressor 'lz77' is not available and is ignored: there are snappy, zlib, zstd, and those in parts.compressors.",
        ]);
      },
      { uri: 'mongodb://db1/shop?compressors=zstd,lz77,zlib', passed: ['zlib'] },
    );
  });

  test('without the option nothing is compressed, and no warning is emitted', async () => {
    await inWorld(async ({ client, sent, warnings }) => {
      await client.db().command({ ping: 1 });
      expect([sent().filter(command => !isHello(command)), warnings]).toEqual([['ping'], []]);
    }, {});
  });
});

import { createSocket } from 'node:dgram';
import type { Readable, Writable } from 'node:stream';
import { afterEach, describe, expect, test } from 'vitest';
import type { MongoError } from '@tessera/contracts';
import { createNode } from '@tessera/node';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

/** Encodes a DNS name as uncompressed labels. RFC 1035, 3.1. */
const dnsName = (name: string): Buffer =>
  Buffer.concat([
    ...name.split('.').flatMap(label => [Buffer.from([label.length]), Buffer.from(label)]),
    Buffer.from([0]),
  ]);

interface NameRecord {
  readonly type: number;
  readonly data: Buffer;
}

/**
 * A name server that answers every query with these records and this code. Without records, the default code is 3: no
 * such name.
 */
const nameServer = async (
  records: readonly NameRecord[],
  code: number = records.length > 0 ? 0 : 3,
): Promise<string> => {
  const server = createSocket('udp4');
  cleanups.push(() => server.close());
  server.on('message', (question, from) => {
    const end = question.indexOf(0, 12) + 5; // name, type, class
    const header = Buffer.from(question.subarray(0, 12));
    header.writeUInt16BE(0x8180 + code, 2);
    header.writeUInt16BE(records.length, 6);
    header.writeUInt16BE(0, 10);
    const answers = records.map(({ type, data }) => {
      const fixed = Buffer.alloc(12);
      fixed.writeUInt16BE(0xc00c, 0); // the name of the question
      fixed.writeUInt16BE(type, 2);
      fixed.writeUInt16BE(1, 4);
      fixed.writeUInt16BE(data.length, 10);
      return Buffer.concat([fixed, data]);
    });
    server.send(Buffer.concat([header, question.subarray(12, end), ...answers]), from.port, from.address);
  });
  await new Promise<void>(resolve => server.bind(0, '127.0.0.1', resolve));
  return `127.0.0.1:${server.address().port}`;
};

const srv = (priority: number, port: number, host: string): { type: number; data: Buffer } => {
  const fixed = Buffer.alloc(6);
  fixed.writeUInt16BE(priority, 0);
  fixed.writeUInt16BE(port, 4);
  return { type: 33, data: Buffer.concat([fixed, dnsName(host)]) };
};
const txt = (...strings: string[]): { type: number; data: Buffer } => ({
  type: 16,
  data: Buffer.concat(strings.flatMap(text => [Buffer.from([text.length]), Buffer.from(text)])),
});

describe('Resolver', () => {
  test('keeps the order of SRV records', async () => {
    const at = await nameServer([srv(5, 27019, 'c.example.com'), srv(1, 27017, 'a.example.com')]);
    expect(await createNode({ nameServers: [at] }).resolver.srv('_mongodb._tcp.example.com')).toEqual([
      { host: 'c.example.com', port: 27019 },
      { host: 'a.example.com', port: 27017 },
    ]);
  });

  test('returns a TXT record as a list of strings', async () => {
    const at = await nameServer([txt('replicaSet=rs0&', 'authSource=admin')]);
    expect(await createNode({ nameServers: [at] }).resolver.txt('example.com')).toEqual([
      ['replicaSet=rs0&', 'authSource=admin'],
    ]);
  });

  test('returns no TXT records for a name without them, and throws in the phase resolve if the query fails', async () => {
    const [noData, serverFailure] = [await nameServer([], 0), await nameServer([], 2)];
    expect(await createNode({ nameServers: [noData] }).resolver.txt('example.com')).toEqual([]);
    const { resolver } = createNode({ nameServers: [serverFailure] });
    const errors = [resolver.txt('example.com'), resolver.srv('example.com')].map(answer =>
      Promise.resolve(answer).catch((error: unknown) => error),
    );
    const origin = { phase: 'resolve', sent: false, address: 'example.com' };
    expect(await Promise.all(errors)).toMatchObject([
      {
        ...{ kind: 'network', origin, cause: { code: 'ESERVFAIL' } },
        message: 'Could not look up the TXT records of example.com: queryTxt ESERVFAIL example.com.',
      },
      {
        ...{ kind: 'network', origin, cause: { code: 'ESERVFAIL' } },
        message: 'Could not look up the SRV records of example.com: querySrv ESERVFAIL example.com.',
      },
    ]);
  });

  test('returns an empty list for absent TXT records, and throws in the phase resolve for absent SRV records', async () => {
    const { resolver } = createNode({ nameServers: [await nameServer([])] });
    expect(await resolver.txt('example.com')).toEqual([]);
    const error = await resolver.srv('_mongodb._tcp.example.com').catch((e: unknown) => e as MongoError);
    expect(error).toMatchObject({
      kind: 'network',
      origin: { phase: 'resolve', sent: false, address: '_mongodb._tcp.example.com' },
      message:
        'Could not look up the SRV records of _mongodb._tcp.example.com: querySrv ENOTFOUND _mongodb._tcp.example.com.',
    });
  });
});

describe('Streams', () => {
  const counted = (limit: number): { from: AsyncIterable<unknown>; returned: () => number } => {
    let returns = 0;
    let n = 0;
    const iterator: AsyncIterator<unknown> = {
      next: () => Promise.resolve(n < limit ? { done: false, value: { n: n++ } } : { done: true, value: undefined }),
      return: () => {
        returns++;
        return Promise.resolve({ done: true, value: undefined });
      },
      throw: () => Promise.reject(new Error('not to be called')),
    };
    return { from: { [Symbol.asyncIterator]: () => iterator }, returned: () => returns };
  };

  test('a readable is in object mode and ends with the iterable', async () => {
    const stream = createNode().streams.readable(counted(3).from) as Readable;
    const seen: unknown[] = [];
    for await (const item of stream) seen.push(item);
    expect(seen).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }]);
    expect(stream.readableObjectMode).toBe(true);
  });

  test.each([undefined, new Error('enough')])('destroying a readable calls return (with error: %s)', async error => {
    const { from, returned } = counted(1e9);
    const stream = createNode().streams.readable(from) as Readable;
    stream.on('error', () => undefined);
    await new Promise(resolve => stream.once('data', resolve));
    const closed = new Promise(resolve => stream.once('close', resolve));
    stream.destroy(error);
    await closed;
    expect(returned()).toBe(1);
  });

  test('a readable that reads ahead pulls the next value while the current one is processed', async () => {
    let pulled = 0;
    const from = async function* (): AsyncGenerator<number> {
      while (pulled < 5) yield await Promise.resolve(++pulled);
    };
    const stream = createNode().streams.readable(from()) as Readable;
    const reader = stream[Symbol.asyncIterator]();
    expect((await reader.next()).value).toBe(1);
    for (let turn = 0; turn < 5; turn++) await new Promise(resolve => setImmediate(resolve));
    expect(pulled).toBe(2);
    await reader.return?.();
  });

  test('a readable that does not read ahead pulls one value per read', async () => {
    let pulled = 0;
    const from = async function* (): AsyncGenerator<number> {
      while (pulled < 3) yield await Promise.resolve(++pulled);
    };
    const stream = createNode().streams.readable(from(), { readsAhead: false }) as Readable;
    const reader = stream[Symbol.asyncIterator]();
    const seen: unknown[] = [];
    for (let step = await reader.next(); step.done !== true; step = await reader.next()) {
      await new Promise(resolve => setImmediate(resolve));
      seen.push([step.value, pulled]);
    }
    expect(seen).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ]);
  });

  test('a readable of bytes behaves like a stream that reads a file', async () => {
    const bytes = async function* (): AsyncGenerator<Uint8Array> {
      yield Uint8Array.of(1, 2);
      yield await Promise.resolve(Uint8Array.of(3));
    };
    const stream = createNode().streams.readable(bytes(), { bytes: true }) as Readable;
    expect(stream.readableObjectMode).toBe(false);
    const seen: unknown[] = [];
    for await (const some of stream) seen.push(some);
    expect(seen).toEqual([Buffer.of(1, 2), Buffer.of(3)]);
  });

  describe('a readable that does not read ahead', () => {
    /** An iterable that counts calls of `next`. Each call settles in the next turn of the event loop. */
    const pulled = (): { from: AsyncIterable<unknown>; pulls: () => number } => {
      let pulls = 0;
      const next = async (): Promise<IteratorResult<unknown>> => {
        const n = pulls++;
        await new Promise(resolve => setImmediate(resolve));
        return n < 4 ? { done: false, value: { n } } : { done: true, value: undefined };
      };
      return { from: { [Symbol.asyncIterator]: () => ({ next }) }, pulls: () => pulls };
    };
    const turns = async (): Promise<void> => {
      for (let n = 0; n < 5; n++) await new Promise(resolve => setImmediate(resolve));
    };

    test('pulls a value only when for await requests it', async () => {
      const { from, pulls } = pulled();
      const stream = createNode().streams.readable(from, { readsAhead: false }) as Readable;
      await turns();
      const seen: unknown[] = [pulls()];
      for await (const item of stream) {
        await turns();
        seen.push([item, pulls()]);
      }
      expect(seen).toEqual([0, [{ n: 0 }, 1], [{ n: 1 }, 2], [{ n: 2 }, 3], [{ n: 3 }, 4]]);
    });

    test('pulls nothing while paused by a data listener', async () => {
      const { from, pulls } = pulled();
      const stream = createNode().streams.readable(from, { readsAhead: false }) as Readable;
      const seen: unknown[] = [];
      const ended = new Promise(resolve => stream.once('end', resolve));
      stream.on('data', item => {
        stream.pause();
        void turns().then(() => {
          seen.push([item, pulls()]);
          stream.resume();
        });
      });
      await ended;
      expect(seen).toEqual([
        [{ n: 0 }, 1],
        [{ n: 1 }, 2],
        [{ n: 2 }, 3],
        [{ n: 3 }, 4],
      ]);
    });

    test('emits an error of the iterable, and calls return once', async () => {
      const error = new Error('lost');
      let returns = 0;
      const iterator: AsyncIterator<unknown> = {
        next: () => Promise.reject(error),
        return: () => Promise.resolve({ done: true, value: returns++ }),
      };
      const from = { [Symbol.asyncIterator]: () => iterator };
      const stream = createNode().streams.readable(from, { readsAhead: false }) as Readable;
      const closed = new Promise(resolve => stream.once('close', resolve));
      const said = new Promise(resolve => stream.once('error', resolve));
      stream.resume();
      expect(await said).toBe(error);
      await closed;
      expect(returns).toBe(1);
    });

    /** Destroys a stream whose iterator has this `return`, and returns how it ends. */
    const endOf = async (done: AsyncIterator<unknown>['return'], error?: Error): Promise<unknown> => {
      const iterator: AsyncIterator<unknown> = {
        next: () => new Promise(() => undefined),
        ...(done === undefined ? {} : { return: done }),
      };
      const from = { [Symbol.asyncIterator]: () => iterator };
      const stream = createNode().streams.readable(from, { readsAhead: false }) as Readable;
      let said: unknown;
      stream.on('error', cause => (said = cause));
      const closed = new Promise(resolve => stream.once('close', resolve));
      stream.destroy(error);
      await closed;
      return said;
    };

    test('ends with the error passed to destroy, or with that of return', async () => {
      const [given, late] = [new Error('given'), new Error('late')];
      const fails = (): Promise<never> => Promise.reject(late);

      const failsOddly = (): Promise<never> => Promise.reject('odd');
      const works = (): Promise<IteratorResult<unknown>> => Promise.resolve({ done: true, value: undefined });
      expect([
        await endOf(undefined),
        await endOf(undefined, given),
        await endOf(works),
        await endOf(works, given),
        await endOf(fails),
        await endOf(fails, given),
        await endOf(failsOddly),
      ]).toEqual([undefined, given, undefined, given, late, given, new Error('odd')]);
    });

    test('carries bytes or objects, as requested', () => {
      const { streams } = createNode();
      const modes = [true, false].map(bytes => {
        const stream = streams.readable(pulled().from, { bytes, readsAhead: false }) as Readable;
        return [stream.readableObjectMode, stream.readableHighWaterMark];
      });
      expect(modes).toEqual([
        [false, 0],
        [true, 0],
      ]);
    });

    test('fails at a null value instead of ending', async () => {
      const from = { [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve({ done: false, value: null }) }) };
      const stream = createNode().streams.readable(from, { readsAhead: false }) as Readable;
      await expect(stream.toArray()).rejects.toThrow('A stream cannot carry null as a value.');
    });
  });

  test('a writable passes on one write at a time, converts text to bytes, and ends', async () => {
    const seen: string[] = [];
    let isBusy = false;
    const stream = createNode().streams.writable({
      async write(bytes) {
        expect(isBusy).toBe(false);
        isBusy = true;
        await new Promise(resolve => setImmediate(resolve));
        isBusy = false;
        seen.push(Buffer.from(bytes).toString());
      },
      end: () => Promise.resolve(void seen.push('end')),
    }) as Writable;
    stream.write('one');
    stream.write(Uint8Array.from(Buffer.from('two')));
    await new Promise<void>(resolve => stream.end(resolve));
    expect(seen).toEqual(['one', 'two', 'end']);
  });

  test('a writable continues immediately after a synchronous write, and reports an error of end', async () => {
    const error = new Error('full');
    const seen: string[] = [];
    const stream = createNode().streams.writable({
      write: bytes => void seen.push(Buffer.from(bytes).toString()),
      end: () => Promise.reject(error),
    }) as Writable;
    const raised = new Promise(resolve => stream.once('error', resolve));
    expect([stream.write('one'), stream.writableLength]).toEqual([true, 0]);
    stream.end('two');
    expect([await raised, seen]).toEqual([error, ['one', 'two']]);
  });

  test('a writable converts a thrown value that is not an Error to an Error', async () => {
    const stream = createNode().streams.writable({
      write: () => Promise.reject('full'),
      end: () => Promise.resolve(),
    }) as Writable;
    const raised = new Promise(resolve => stream.once('error', resolve));
    stream.write('one');
    expect(await raised).toEqual(new Error('full'));
  });

  test('an error of the sink ends a writable', async () => {
    const error = new Error('full');
    const stream = createNode().streams.writable({
      write: () => Promise.reject(error),
      end: () => Promise.resolve(),
    }) as Writable;
    const raised = new Promise(resolve => stream.once('error', resolve));
    stream.write('one');
    expect(await raised).toBe(error);
    expect(stream.destroyed).toBe(true);
  });
});

test('Host: a scope follows its call through asynchronous operations, and does not affect others', async () => {
  const scope = createNode().host.createScope!<string>();
  const pause = () => new Promise(resolve => setImmediate(resolve));
  const seen = async (name: string) => {
    await pause();
    return scope.run(`${name} within`, async () => {
      await pause();
      return scope.current();
    });
  };
  const outer = await scope.run('outer', async () => [await seen('a'), scope.current()]);
  expect([scope.current(), outer, await seen('b')]).toEqual([undefined, ['a within', 'outer'], 'b within']);
});

test('Platform, Host: operating system, runtime, environment and files', async () => {
  process.env['TESSERA_NODE_TEST'] = 'here';
  cleanups.push(() => delete process.env['TESSERA_NODE_TEST']);
  const { host, platform } = createNode();
  expect(platform.os.type.length).toBeGreaterThan(0);
  expect(platform.runtime).toMatch(/^(Node\.js|Bun|Deno) v[\d.]+, (LE|BE)$/);
  expect(host.environment('TESSERA_NODE_TEST')).toBe('here');
  expect(host.environment('TESSERA_NODE_TEST_ABSENT')).toBeUndefined();
  expect(await host.readText!(import.meta.filename)).toContain('operating system, runtime, environment and files');
  await expect(host.readText!('/there/is/no/such/file')).rejects.toThrow();
});

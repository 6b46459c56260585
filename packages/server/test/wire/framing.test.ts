import { deflateSync, inflateSync } from 'node:zlib';
import { BSON } from 'bson';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { crc32c } from '@tessera/store';
import { Client, frameOf, msgOf, queryOf, sequenceOf, settled, typed, world } from '../client.js';
import { compressed, zlib } from './compressed.js';

const withChecksum = (frame: Uint8Array): Uint8Array => {
  const bytes = Uint8Array.from([...frame, 0, 0, 0, 0]);
  const view = new DataView(bytes.buffer);
  view.setInt32(0, bytes.length, true);
  view.setInt32(16, view.getInt32(16, true) | 1, true);
  view.setUint32(bytes.length - 4, crc32c(bytes.subarray(0, -4)), true);
  return bytes;
};

describe('OP_MSG', () => {
  test('a reply has the id of its request in responseTo, and requests are answered in order', async () => {
    const { client } = world();
    client.send(Uint8Array.from([...msgOf(7, { ping: 1, $db: 'admin' }), ...msgOf(9, { nope: 1, $db: 'admin' })]));
    const [first, second] = [await client.next(), await client.next()];
    expect([first.responseTo, second.responseTo]).toEqual([7, 9]);
    expect(typed(first.doc)).toBe('{"ok":{"$numberDouble":"1.0"}}');
    expect(typed(second.doc)).toBe(
      '{"ok":{"$numberDouble":"0.0"},"errmsg":"no such command: \'nope\'","code":{"$numberInt":"59"},"codeName":"CommandNotFound"}',
    );
  });

  test('a message may arrive in pieces of any size', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 40 }), async piece => {
        const { client } = world();
        client.send(msgOf(1, { insert: 'c', $db: 'db' }, 0, sequenceOf('documents', [{ _id: 1 }, { _id: 2 }])), piece);
        expect((await client.next()).doc).toMatchObject({ n: { value: 2 } });
      }),
      { numRuns: 20 },
    );
  });

  test('a message larger than the read buffer arrives completely', async () => {
    const { client } = world();
    const text = 'x'.repeat(3_000_000);
    expect(await client.plain({ insert: 'c', documents: [{ _id: 1, text }] })).toEqual({ n: 1, ok: 1 });
    const { cursor } = await client.plain({ find: 'c' });
    expect(cursor.firstBatch).toEqual([{ _id: 1, text }]);
  });

  test('a reply of more than 16 MB and 16 KB becomes an error with code 10334, and the connection stays open', async () => {
    const { client } = world();
    await client.plain({ createIndexes: 'c', indexes: [{ key: { k: 1 }, name: 'k', unique: true, sparse: true }] });
    const big = 'x'.repeat(6_000_000);
    await client.plain({ insert: 'c', documents: [{ _id: 0, k: big }] });
    await client.plain({ insert: 'c', documents: [1, 2, 3].map(_id => ({ _id })) });
    const copied = {
      $set: {
        k: { $reduce: { input: { $range: [0, 6] }, initialValue: '$$part', in: { $concat: ['$$value', '$$value'] } } },
      },
    };
    const updates = [1, 2, 3].map(_id => ({ q: { _id }, u: [copied], c: { part: big.slice(0, big.length / 64) } }));
    const two = await client.plain({ update: 'c', updates: updates.slice(0, 2), ordered: false });
    expect(two.writeErrors.map(({ code }) => code)).toEqual([11000, 11000]);
    expect(await client.refusal({ update: 'c', updates, ordered: false })).toMatch(
      /^10334 BSONObj size: 18\d{6} \(0x[0-9a-f]+\) is invalid\. Size must be between 0 and 16793600\(16MB\) First element: n: 0$/,
    );
    expect(await client.plain({ ping: 1 })).toEqual({ ok: 1 });
  });

  test('a document of more than 16 MB and 16 KB fails with code 10334, and the connection stays open', async () => {
    const { client } = world();
    const largest = 16_793_600;
    const empty = msgOf(1, { find: 'c', filter: { text: '' }, $db: 'db' }).length - 21;
    const findOf = (size: number): Uint8Array =>
      msgOf(1, { find: 'c', filter: { text: 'x'.repeat(size - empty) }, $db: 'db' });
    client.send(findOf(largest));
    expect((await client.next()).doc).toMatchObject({ cursor: { firstBatch: [] } });
    client.send(findOf(largest + 1));
    expect(typed((await client.next()).doc)).toBe(
      '{"ok":{"$numberDouble":"0.0"},"errmsg":"BSONObj size: 16793601 (0x1004001) is invalid. Size must be between 0 and 16793600(16MB) First element: find: \\"c\\"","code":{"$numberInt":"10334"},"codeName":"BSONObjectTooLarge"}',
    );
    client.send(msgOf(2, { insert: 'c', $db: 'db' }, 0, sequenceOf('documents', [{ text: 'x'.repeat(largest) }])));
    expect((await client.next()).doc).toMatchObject({ code: { value: 10_334 } });
    expect(await client.plain({ ping: 1 })).toEqual({ ok: 1 });
  });

  test('a request with moreToCome gets no reply, not even an error', async () => {
    const { client } = world();
    client.send(msgOf(1, { insert: 'c', documents: [{ _id: 1 }], writeConcern: { w: 0 }, $db: 'db' }, 2));
    client.send(msgOf(2, { insert: 'c', documents: [{ _id: 1 }], writeConcern: { w: 0 }, $db: 'db' }, 2));
    client.send(msgOf(3, { nope: 1, $db: 'db' }, 2));
    expect((await client.plain({ count: 'c' })).n).toBe(1);
    expect(client.received).toEqual([]);
  });

  test('a TLS handshake, whose first bytes could be a message length, closes the connection at once', async () => {
    const { client } = world();
    await client.plain({ ping: 1 });
    // A handshake record with a ClientHello.
    client.send(Uint8Array.of(22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3, ...new Uint8Array(32)));
    expect(client.closed).toBe(true);
  });

  test('verifies a checksum, and adds one to the reply', async () => {
    const { client } = world();
    client.send(withChecksum(msgOf(1, { ping: 1, $db: 'admin' })));
    const { bytes, flags } = await client.next();
    expect(flags).toBe(1);
    expect(new DataView(bytes.buffer, bytes.byteOffset).getUint32(bytes.length - 4, true)).toBe(
      crc32c(bytes.subarray(0, -4)),
    );
    const wrong = withChecksum(msgOf(2, { ping: 1, $db: 'admin' }));
    wrong[wrong.length - 1]! ^= 1;
    client.send(wrong);
    expect(client.closed).toBe(true);
  });

  test('invalid BSON in a complete message fails with code 22, and the connection stays open', async () => {
    const { client } = world();
    const frame = msgOf(1, { ping: 1, $db: 'admin' });
    frame[25] = 99;
    client.send(frame);
    expect((await client.next()).doc).toMatchObject({ code: { value: 22 }, codeName: 'InvalidBSON' });
    expect(await client.plain({ ping: 1 })).toEqual({ ok: 1 });
  });

  test('requires one body with $db, and rejects a sequence that repeats a field', async () => {
    const { client } = world();
    const errorOf = async (frame: Uint8Array): Promise<string> => {
      client.send(frame);
      const { doc } = await client.next();
      return `${typed(doc.code)} ${doc.errmsg}`;
    };
    expect(await errorOf(msgOf(1, { ping: 1 }))).toContain('40571');
    expect(await errorOf(frameOf(2, 2013, Uint8Array.from([0, 0, 0, 0])))).toContain('40587');
    const twice = msgOf(3, { insert: 'c', documents: [], $db: 'db' }, 0, sequenceOf('documents', [{}]));
    expect(await errorOf(twice)).toContain('40433');
  });

  test('unknown required flags, invalid lengths and legacy opcodes close the connection', () => {
    for (const bytes of [
      msgOf(1, { ping: 1, $db: 'admin' }, 4),
      Uint8Array.from([15, 0, 0, 0, ...new Uint8Array(12)]),
      Uint8Array.from([0xff, 0xff, 0xff, 0x7f, ...new Uint8Array(12)]),
      frameOf(1, 2010, new Uint8Array(10)),
      frameOf(1, 2002, new Uint8Array(10)),
    ]) {
      const { client } = world();
      client.send(bytes);
      expect(client.closed).toBe(true);
    }
  });
});

describe('OP_QUERY', () => {
  test('a handshake is answered with OP_REPLY and legacy field names', async () => {
    const { client } = world();
    client.send(queryOf(5, 'admin.$cmd', { ismaster: 1, helloOk: true }));
    const { opCode, responseTo, doc } = await client.next();
    expect([opCode, responseTo]).toEqual([1, 5]);
    expect(doc).toMatchObject({
      helloOk: true,
      ismaster: true,
      minWireVersion: { value: 0 },
      maxWireVersion: { value: 27 },
    });
  });

  test('other commands fail with code 352, other namespaces with $err, other numberToReturn with code 16979', async () => {
    const { client } = world();
    const answer = async (frame: Uint8Array): Promise<string> => {
      client.send(frame);
      return typed((await client.next()).doc);
    };
    expect(await answer(queryOf(1, 'db.$cmd', { find: 'c' }))).toContain('"code":{"$numberInt":"352"}');
    expect(await answer(queryOf(2, 'db.c', {}))).toMatch(/^\{"\$err":.*5739101.*"ok":\{"\$numberDouble":"0.0"\}\}$/);
    expect(await answer(queryOf(3, 'admin.$cmd', { ismaster: 1 }, 0))).toContain('16979');
  });
});

describe('OP_COMPRESSED', () => {
  test('hello negotiates zlib, and replies are compressed like their requests', async () => {
    const { client } = world({}, [zlib]);
    expect((await client.plain({ hello: 1, compression: ['snappy', 'zlib'] }))['compression']).toEqual(['zlib']);
    const frame = msgOf(8, { ping: 1, $db: 'admin' });
    client.send(compressed(frame, 2, deflateSync(frame.subarray(16))));
    const { opCode, responseTo, bytes } = await client.next();
    expect([opCode, responseTo]).toEqual([2012, 8]);
    expect(BSON.deserialize(inflateSync(bytes.subarray(25)).subarray(5))).toEqual({ ok: 1 });
  });

  test('an unknown compressor or an invalid length closes the connection', async () => {
    const frame = msgOf(8, { ping: 1, $db: 'admin' });
    const packed = deflateSync(frame.subarray(16));
    for (const bytes of [
      compressed(frame, 1, frame.subarray(16)),
      compressed(frame, 2, new Uint8Array(3)),
      compressed(frame, 2, packed, 1),
      compressed(frame, 2, packed, -1),
      compressed(frame, 2, packed, 48_000_000),
      compressed(frame, 0, frame.subarray(16), 1),
    ]) {
      const { client } = world({}, [zlib]);
      client.send(bytes);
      await settled();
      expect(client.closed).toBe(true);
    }
  });
});

describe('a connection', () => {
  test('does not send further replies while the client does not read', async () => {
    const { client } = world();
    client.reads = false;
    client.send(Uint8Array.from([...msgOf(1, { ping: 1, $db: 'd' }), ...msgOf(2, { ping: 1, $db: 'd' })]));
    await settled();
    expect(client.received.map(one => one.responseTo)).toEqual([1]);
    client.drain();
    expect(client.received.map(one => one.responseTo)).toEqual([1, 2]);
  });

  test('survives any command error, and the data survives the connection', async () => {
    const { server, client } = world();
    await client.plain({ insert: 'c', documents: [{ _id: 1 }] });
    for (const command of [
      { find: 5 },
      { insert: 'c' },
      { getMore: 1 },
      { aggregate: 'c', pipeline: [{}], cursor: {} },
    ]) {
      expect((await client.plain(command)).ok).toBe(0);
    }
    client.hangUp();
    expect((await new Client(server).plain({ count: 'c' })).n).toBe(1);
  });
});

describe('arbitrary bytes', () => {
  const command = fc.constantFrom(
    { ping: 1 },
    { hello: 1 },
    { find: 'c', filter: { a: { $gt: 1 } }, sort: { a: 1 } },
    { insert: 'c', documents: [{ a: 1, b: 'x', c: [1, { d: null }] }] },
    { update: 'c', updates: [{ q: {}, u: { $inc: { a: 1 } } }] },
    { aggregate: 'c', pipeline: [{ $group: { _id: '$a', n: { $sum: 1 } } }], cursor: {} },
    { createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a_1' }] },
    { findAndModify: 'c', query: { a: 1 }, remove: true },
  );

  test('never crash the server: it replies or closes the connection, and other connections work', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(
            fc.uint8Array({ maxLength: 80 }),
            fc.tuple(command, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 5 })).map(([doc, hits]) => {
              const frame = msgOf(1, { ...doc, $db: 'db' });
              for (const [at, byte] of hits) frame[4 + (at % (frame.length - 4))] = byte;
              return frame;
            }),
            fc
              .uint8Array({ maxLength: 60 })
              .chain(content => fc.constantFrom(2004, 2012, 2013).map(opCode => frameOf(3, opCode, content))),
          ),
          { maxLength: 6 },
        ),
        fc.integer({ min: 1, max: 64 }),
        async (messages, piece) => {
          const { server, client } = world({}, [zlib]);
          for (const bytes of messages) if (!client.closed) client.send(bytes, piece);
          await settled();
          expect(await new Client(server).plain({ ping: 1 })).toEqual({ ok: 1 });
          // An exception inside the server would be reported in this message.
          const defect = { errmsg: expect.stringContaining('Internal server error') as string };
          for (const { doc } of client.received) expect(doc).not.toMatchObject(defect);
          await server.close();
          expect(client.closed).toBe(true);
        },
      ),
      { numRuns: 1500 },
    );
  }, 60_000);
});

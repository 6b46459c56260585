import type { BsonCodec, BsonWriter, Document } from '@tessera/contracts';
import { expectEqual, expectThrow, expectTrue } from '../case.js';
import type { ContractCase } from '../case.js';
import { ascii, cstring, document, double, element, idBytes, idHex, int32, int64, string } from '../bytes.js';

/** Rule: {@link BsonWriter}; bsonspec.org. */
export const writing = (bson: BsonCodec): readonly ContractCase[] => {
  const { values } = bson;
  const one = (name: string, run: () => void): ContractCase => ({
    name,
    run: () =>
      new Promise(resolve => {
        run();
        resolve();
      }),
  });

  /** Returns what `body` writes into an otherwise empty message. */
  const bodyOf = (write: (writer: BsonWriter) => void): readonly number[] => {
    const writer = bson.writer();
    writer.begin(0);
    write(writer);
    writer.endBody();
    return [...writer.take()];
  };
  const valueBytes = (value: unknown): readonly number[] => bodyOf(writer => writer.value('k', value));
  const refused = (write: (writer: BsonWriter) => void, what: string): void => {
    const writer = bson.writer();
    writer.begin(0);
    expectThrow(() => write(writer), { kind: 'usage' }, what);
  };

  return [
    one('BsonWriter: every JavaScript value has the BSON type that the official driver gives it', () => {
      const cases: readonly (readonly [string, unknown, number, readonly number[]])[] = [
        ['1.5', 1.5, 0x01, double(1.5)],
        ['-0', -0, 0x01, double(-0)],
        ['3,000,000,000', 3e9, 0x01, double(3e9)],
        ['NaN', NaN, 0x01, double(NaN)],
        ['a string', 'abc', 0x02, string('abc')],
        ['an empty string', '', 0x02, string('')],
        ['a string of UTF-8', 'ä€😀', 0x02, [...int32(10), 0xc3, 0xa4, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x98, 0x80, 0]],
        ['a document', { a: 1 }, 0x03, document(element(0x10, 'a', int32(1)))],
        ['an array', ['x'], 0x04, document(element(0x02, '0', string('x')))],
        ['bytes', Uint8Array.of(1, 2), 0x05, [...int32(2), 0, 1, 2]],
        ['Binary', new values.Binary(Uint8Array.of(9), 128), 0x05, [...int32(1), 128, 9]],
        ['ObjectId', new values.ObjectId(idHex), 0x07, idBytes],
        ['true', true, 0x08, [1]],
        ['false', false, 0x08, [0]],
        ['null', null, 0x0a, []],
        ['undefined', undefined, 0x0a, []],
        ['a regular expression', /a+/i, 0x0b, [...cstring('a+'), ...cstring('i')]],
        ['42', 42, 0x10, int32(42)],
        ['the least int32', -2_147_483_648, 0x10, int32(-2_147_483_648)],
        ['Timestamp', new values.Timestamp({ t: 5, i: 6 }), 0x11, [...int32(6), ...int32(5)]],
        ['Long', values.Long.fromBigInt(-3n), 0x12, int64(-3n)],
        ['a bigint', 2n ** 40n, 0x12, int64(2n ** 40n)],
      ];
      for (const [what, value, type, bytes] of cases) {
        expectEqual(valueBytes(value), document(element(type, 'k', bytes)), what);
      }
    }),
    one('BsonWriter: a message starts with its header, whose length is that of the message', () => {
      const writer = bson.writer();
      writer.begin(21);
      expectTrue(writer.length >= 21, 'the header counts');
      writer.int32('ping', 1);
      writer.endBody();
      expectEqual(writer.length, 21 + 15, 'length');
      writer.patch(4, 0x01020304);
      const header = [...int32(0), 4, 3, 2, 1, ...Array.from({ length: 13 }, () => 0)];
      expectEqual([...writer.take()], [...header, ...document(element(0x10, 'ping', int32(1)))], 'the message');
    }),
    one('BsonWriter: int32, int64, value, fields, elements and open write their elements in order', () => {
      const find = bson.elements({ find: 'users' });
      const id = bson.element('lsid', Uint8Array.from(document(element(0x10, 'n', int32(7)))));
      expectEqual([find.byteLength, id.byteLength], [16, 18], 'byteLength of elements');
      const expected = document(
        element(0x02, 'find', string('users')),
        element(0x10, 'limit', int32(-1)),
        element(0x12, 'cursor', int64(2n ** 62n)),
        element(0x12, 'small', int64(5n)),
        element(0x08, 'tailable', [1]),
        element(0x10, 'a', int32(1)),
        element(0x02, 'b', string('c')),
        element(0x10, 'r', int32(2)),
        element(0x03, 'lsid', document(element(0x10, 'n', int32(7)))),
        element(0x04, 'list', document(element(0x03, '0', document()), element(0x10, '1', int32(8)))),
      );
      const written = bodyOf(writer => {
        writer.elements(find);
        writer.int32('limit', -1);
        writer.int64('cursor', 2n ** 62n);
        writer.int64('small', 5);
        writer.value('tailable', true);
        writer.fields({ a: 1, b: 'c' });
        writer.fields(Uint8Array.from(document(element(0x10, 'r', int32(2)))));
        writer.elements(id);
        writer.open('list', 'array');
        writer.open('0', 'document');
        writer.close();
        writer.int32('1', 8);
        writer.close();
      });
      expectEqual(written, expected, 'the document');
    }),
    one('SectionWriter: sequences of documents follow the body; each has its kind, length and name', () => {
      const writer = bson.writer();
      writer.begin(0);
      writer.int32('insert', 1);
      writer.endBody();
      writer.section('documents');
      const first = document(element(0x10, 'a', int32(1)));
      const second = document(element(0x07, '_id', idBytes), element(0x10, 'b', int32(2)));
      expectEqual(writer.document({ a: 1 }), first.length, 'length of a document');
      const id = new values.ObjectId(idHex);
      expectEqual(writer.document({ b: 2 }, undefined, id), second.length, 'length of one with an id');
      writer.section('nsInfo');
      expectEqual(writer.document(Uint8Array.from(first)), first.length, 'length of a document given as bytes');
      const sequence = (name: string, ...documents: readonly number[][]): number[] => {
        const rest = [...cstring(name), ...documents.flat()];
        return [1, ...int32(rest.length + 4), ...rest];
      };
      const expected = [
        ...document(element(0x10, 'insert', int32(1))),
        ...sequence('documents', first, second),
        ...sequence('nsInfo', first),
      ];
      expectEqual(writer.length, expected.length, 'length');
      expectEqual([...writer.take()], expected, 'the message');
    }),
    one('SectionWriter.cut: removes a document that did not fit', () => {
      const writer = bson.writer();
      writer.begin(0);
      writer.endBody();
      writer.section('documents');
      writer.document({ a: 1 });
      const before = writer.length;
      writer.document({ b: 'too much' });
      writer.cut(before);
      const only = document(element(0x10, 'a', int32(1)));
      const rest = [...cstring('documents'), ...only];
      expectEqual([...writer.take()], [...document(), 1, ...int32(rest.length + 4), ...rest], 'the message');
    }),
    one(
      'BsonWriter.take: the bytes of a message are not overwritten before they are released, however many messages follow',
      () => {
        const writer = bson.writer();
        const taken: (readonly [Uint8Array, string])[] = [];
        for (let round = 0; round < 50; round += 1) {
          writer.begin(4);
          writer.value('text', String(round % 10).repeat(round * 997));
          writer.endBody();
          const bytes = writer.take();
          taken.push([bytes, bytes.join()]);
        }
        expectTrue(
          taken.every(([bytes, before]) => bytes.join() === before),
          'no message has changed',
        );
      },
    ),
    one('BsonWriter.release: allows the bytes of one message to be overwritten, but not those of others', () => {
      const writer = bson.writer();
      const message = (size: number): Uint8Array => {
        writer.begin(4);
        writer.value('text', 'x'.repeat(size));
        writer.endBody();
        return writer.take();
      };
      for (const size of [10, 100_000, 1_000_000]) {
        const kept = message(size);
        const before = kept.join();
        writer.release(message(size));
        const later = message(size).join();
        expectTrue(later === before, `a message of ${size} characters is the same in memory that was released`);
        expectTrue(kept.join() === before, `the message before it of ${size} characters has not changed`);
      }
    }),
    one('BsonWriter.begin: drops an unfinished message, also after an exception', () => {
      const writer = bson.writer();
      writer.begin(0);
      writer.value('a', 'lost');
      writer.begin(0);
      writer.open('deep', 'document');
      const loop: Document = {};
      loop['self'] = loop;
      expectThrow(() => writer.value('x', loop), { kind: 'usage' }, 'a value that holds itself');
      writer.begin(0);
      writer.int32('b', 1);
      writer.endBody();
      expectEqual([...writer.take()], document(element(0x10, 'b', int32(1))), 'the message');
    }),
    one('BsonWriter: two writers are independent', () => {
      const [first, second] = [bson.writer(), bson.writer()];
      first.begin(0);
      first.int32('a', 1);
      second.begin(0);
      second.int32('b', 2);
      first.endBody();
      second.endBody();
      expectEqual([...first.take()], document(element(0x10, 'a', int32(1))), 'the first');
      expectEqual([...second.take()], document(element(0x10, 'b', int32(2))), 'the second');
    }),
    one('BsonWriter: values that BSON cannot represent fail as usage', () => {
      refused(writer => writer.value('a\0b', 1), 'a key with a zero byte');
      refused(writer => writer.fields({ 'a\0b': 1 }), 'a key of a document with a zero byte');
      refused(writer => writer.value('k', 2n ** 63n), 'an integer beyond 64 bits');
      const list: unknown[] = [];
      list.push({ list });
      refused(writer => writer.value('k', list), 'an array that holds itself');
    }),
    one('BsonOptions for writing: ignoreUndefined, serializeFunctions, checkKeys', () => {
      const withShape = (value: Document, options: Parameters<BsonCodec['shape']>[0]): readonly number[] =>
        bodyOf(writer => writer.fields(value, bson.shape(options)));
      const withNull = document(element(0x0a, 'a', []), element(0x10, 'b', int32(1)));
      expectEqual(withShape({ a: undefined, b: 1 }, {}), withNull, 'undefined');
      const without = document(element(0x10, 'b', int32(1)));
      expectEqual(withShape({ a: undefined, b: 1 }, { ignoreUndefined: true }), without, 'undefined, ignored');
      const f = (): number => 1;
      expectEqual(withShape({ f, b: 1 }, {}), without, 'a function');
      const [type] = withShape({ f }, { serializeFunctions: true }).slice(4);
      expectEqual(type, 0x0d, 'the type of a function, serialized');
      const checked = bson.shape({ checkKeys: true });
      refused(writer => writer.fields({ $set: 1 }, checked), 'a key with a dollar, checked');
      refused(writer => writer.fields({ 'a.b': 1 }, checked), 'a key with a dot, checked');
      const key = [...int32(12), 0x10, ...ascii('a.b'), 0, 1];
      expectEqual(withShape({ 'a.b': 1 }, {}).slice(4, 10), key.slice(4, 10), 'a key with a dot');
    }),
  ];
};

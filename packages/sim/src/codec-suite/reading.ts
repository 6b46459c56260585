import type { BsonCodec, BsonOptions, Document, Reply } from '@tessera/contracts';
import { expectEqual, expectError, expectThrow, expectTrue } from '../case.js';
import type { ContractCase } from '../case.js';
import { cstring, document, double, element, idBytes, idHex, int32, int64, string } from '../bytes.js';

const cursor = document(
  element(
    0x03,
    'cursor',
    document(
      element(
        0x04,
        'firstBatch',
        document(
          element(0x03, '0', document(element(0x10, 'a', int32(1)))),
          element(0x03, '1', document(element(0x10, 'a', int32(2)), element(0x02, 'b', string('two')))),
          element(0x03, '2', document()),
        ),
      ),
      element(0x12, 'id', int64(5n)),
      element(0x02, 'ns', string('db.users')),
    ),
  ),
  element(0x01, 'ok', double(1)),
);

/** One document with every value that decodes to a value of JavaScript or of npm bson. */
const allTypes = document(
  element(0x01, 'double', double(1.5)),
  element(0x02, 'string', [...int32(3), 0xc3, 0xa4, 0]),
  element(0x03, 'document', document(element(0x0a, 'n', []))),
  element(0x04, 'array', document(element(0x10, '0', int32(1)), element(0x08, '1', [0]))),
  element(0x05, 'binary', [...int32(2), 0, 7, 8]),
  element(0x05, 'uuid', [...int32(16), 4, ...Array.from({ length: 16 }, (_, index) => index)]),
  element(0x07, 'id', idBytes),
  element(0x08, 'true', [1]),
  element(0x09, 'date', int64(1_600_000_000_000n)),
  element(0x0a, 'null', []),
  element(0x0b, 'regex', [...cstring('a'), ...cstring('i')]),
  element(0x0d, 'code', string('x()')),
  element(0x10, 'int', int32(-7)),
  element(0x11, 'timestamp', int64((9n << 32n) | 8n)),
  element(0x12, 'long', int64(2n ** 60n)),
  element(
    0x13,
    'decimal',
    Array.from({ length: 16 }, (_, index) => (index === 15 ? 0x30 : index === 14 ? 0x40 : index === 0 ? 1 : 0)),
  ),
  element(0xff, 'min', []),
  element(0x7f, 'max', []),
);

/** Rule: {@link Reply}, {@link Batch}; bsonspec.org. */
export const reading = (bson: BsonCodec): readonly ContractCase[] => {
  const { values } = bson;
  const one = (name: string, run: () => void): ContractCase => ({
    name,
    run: () =>
      new Promise(resolve => {
        run();
        resolve();
      }),
  });
  const read = (bytes: readonly number[]): Reply => bson.read(Uint8Array.from(bytes));
  const decode = (bytes: readonly number[], options?: BsonOptions): Document =>
    read(bytes).document(options === undefined ? undefined : bson.shape(options));
  const field = (type: number, bytes: readonly number[], options?: BsonOptions): unknown =>
    decode(document(element(type, 'k', bytes)), options)['k'];
  const broken = (bytes: readonly number[], what: string): void => {
    expectThrow(() => decode(bytes), { kind: 'protocol' }, what);
  };

  return [
    one('View: finds fields by name in any order; a missing field is undefined', () => {
      const reply = read(cursor);
      expectEqual([reply.has('cursor'), reply.has('ok'), reply.has('no')], [true, true, false], 'has');
      expectEqual([reply.int('ok'), reply.int('no')], [1, undefined], 'int');
      const view = reply.view('cursor');
      expectEqual([view?.long('id'), view?.text('ns'), view?.text('no')], [5n, 'db.users', undefined], 'long, text');
      expectEqual(
        [reply.view('no'), reply.batch('no'), reply.value('no')],
        [undefined, undefined, undefined],
        'others',
      );
      expectEqual(reply.value('ok'), 1, 'value');
    }),
    one('View.int and View.long: convert any number, boolean or Timestamp to the requested type', () => {
      const numbers = read(
        document(
          element(0x01, 'double', double(3)),
          element(0x10, 'int', int32(4)),
          element(0x12, 'long', int64(5n)),
          element(0x08, 'true', [1]),
          element(0x11, 'time', int64((9n << 32n) | 8n)),
        ),
      );
      expectEqual(
        ['double', 'int', 'long', 'true'].map(key => numbers.int(key)),
        [3, 4, 5, 1],
        'int',
      );
      expectEqual(
        ['double', 'int', 'long'].map(key => numbers.long(key)),
        [3n, 4n, 5n],
        'long',
      );
      expectEqual(numbers.long('time'), (9n << 32n) | 8n, 'long of a Timestamp');
    }),
    one('View.bytes: returns the bytes of a document or a binary', () => {
      const inner = document(element(0x10, 'n', int32(7)));
      const view = read(document(element(0x03, 'd', inner), element(0x05, 'b', [...int32(2), 0, 7, 8])));
      expectEqual([...(view.bytes('d') ?? [])], inner, 'of a document');
      expectEqual([...(view.bytes('b') ?? [])], [7, 8], 'of a binary');
    }),
    one('Reply.ok: is true for true and any number other than 0', () => {
      const okOf = (type: number, bytes: readonly number[]): boolean => read(document(element(type, 'ok', bytes))).ok;
      expectEqual(
        [okOf(1, double(1)), okOf(0x10, int32(1)), okOf(0x12, int64(1n)), okOf(8, [1])],
        [true, true, true, true],
        '1',
      );
      expectEqual([okOf(1, double(0)), okOf(0x10, int32(0)), read(document()).ok], [false, false, false], '0, none');
    }),
    one('BsonCodec.read: reads a document between two offsets of a larger buffer', () => {
      const bytes = Uint8Array.from([9, 9, 9, ...cursor, 9, 9]);
      const reply = bson.read(bytes, 3, 3 + cursor.length);
      expectEqual([reply.ok, reply.view('cursor')?.text('ns')], [true, 'db.users'], 'fields');
      const offset = bson.read(bytes.subarray(3, 3 + cursor.length));
      expectEqual(offset.document(), decode(cursor), 'of a part of a larger memory');
    }),
    one('Batch: returns documents one by one, and the number of remaining ones', () => {
      const batch = read(cursor).view('cursor')?.batch('firstBatch');
      const seen: unknown[] = [];
      for (let next = batch?.next(); next !== undefined; next = batch?.next()) seen.push(next, batch?.length);
      expectEqual(seen, [{ a: 1 }, 2, { a: 2, b: 'two' }, 1, {}, 0], 'documents, and how many are left');
      expectEqual(batch?.next(), undefined, 'after the last');
    }),
    one('Batch.keep: the remaining documents stay valid after the receive buffer is reused', () => {
      const bytes = Uint8Array.from(cursor);
      const batch = bson.read(bytes).view('cursor')?.batch('firstBatch');
      expectEqual(batch?.next(), { a: 1 }, 'the first');
      const kept = batch?.keep();
      bytes.fill(0xee);
      expectEqual(
        [kept?.length, kept?.next(), kept?.next(), kept?.next()],
        [2, { a: 2, b: 'two' }, {}, undefined],
        'the rest',
      );
    }),
    one('View.document: the decoded document stays valid after the receive buffer is reused', () => {
      const bytes = Uint8Array.from(allTypes);
      const decoded = bson.read(bytes).document();
      const before = decode(allTypes);
      bytes.fill(0xee);
      expectEqual(decoded, before, 'the document');
    }),
    one('View.document: decodes every type as the official driver does, and encodes to the same bytes again', () => {
      const decoded = decode(allTypes);
      const expected: Document = {
        double: 1.5,
        string: 'ä',
        document: { n: null },
        array: [1, false],
        true: true,
        null: null,
        int: -7,
      };
      for (const [key, value] of Object.entries(expected)) expectEqual(decoded[key], value, key);
      const classes = Object.fromEntries(
        ['binary', 'uuid', 'id', 'code', 'timestamp', 'long', 'decimal', 'min', 'max'].map(key => [
          key,
          (decoded[key] as { readonly _bsontype?: string })._bsontype,
        ]),
      );
      const wanted = { binary: 'Binary', uuid: 'Binary', id: 'ObjectId', code: 'Code', timestamp: 'Timestamp' };
      const more = { long: 'Long', decimal: 'Decimal128', min: 'MinKey', max: 'MaxKey' };
      expectEqual(classes, { ...wanted, ...more }, 'classes of npm bson');
      expectEqual(String(decoded['id']), idHex, 'the ObjectId');
      expectEqual((decoded['date'] as { getTime(): number }).getTime(), 1_600_000_000_000, 'the date');
      expectEqual(String(decoded['regex']), '/a/i', 'the regular expression');
      const writer = bson.writer();
      writer.begin(0);
      writer.fields(decoded);
      writer.endBody();
      expectEqual([...writer.take()], allTypes, 'encoded again');
    }),
    one('View.document: accepts any text as a key', () => {
      const hostile = decode(document(element(0x03, '__proto__', document(element(0x08, 'evil', [1])))));
      expectEqual(Object.keys(hostile), ['__proto__'], 'its own keys');
      expectEqual((hostile as { readonly evil?: unknown }).evil, undefined, 'nothing is inherited');
      expectEqual(
        Object.keys(decode(document(element(0x10, '', int32(1)), element(0x10, '1', int32(2)))))[0],
        '1',
        'order',
      );
    }),
    one('BsonOptions for reading: numbers', () => {
      const long = int64(2n ** 60n);
      expectEqual(field(0x12, int64(7n)), 7, 'a safe int64');
      expectEqual((field(0x12, long) as { toBigInt(): bigint }).toBigInt(), 2n ** 60n, 'an int64 that is not safe');
      expectTrue(field(0x12, int64(7n), { promoteLongs: false }) instanceof values.Long, 'promoteLongs false');
      expectEqual(field(0x12, int64(7n), { useBigInt64: true }), 7n, 'useBigInt64');
      const int = field(0x10, int32(3), { promoteValues: false }) as { readonly _bsontype: string };
      const float = field(0x01, double(3), { promoteValues: false }) as { readonly _bsontype: string };
      expectEqual([int._bsontype, float._bsontype], ['Int32', 'Double'], 'promoteValues false');
    }),
    one('BsonOptions for reading: bytes, regular expressions, raw documents', () => {
      const bytes = field(0x05, [...int32(2), 0, 7, 8], { promoteBuffers: true });
      expectTrue(bytes instanceof Uint8Array && bytes.join() === '7,8', 'promoteBuffers');
      const regex = field(0x0b, [...cstring('a'), ...cstring('i')], { bsonRegExp: true });
      expectEqual((regex as { readonly _bsontype: string })._bsontype, 'BSONRegExp', 'bsonRegExp');
      const inner = document(element(0x10, 'n', int32(7)));
      const nested = document(element(0x03, 'd', inner), element(0x03, 'e', inner));
      const lists = document(element(0x04, 'd', document(element(0x03, '0', inner))), element(0x03, 'e', inner));
      const some = decode(lists, { fieldsAsRaw: { d: true } }) as {
        readonly d: readonly Uint8Array[];
        readonly e: unknown;
      };
      expectEqual([[...(some.d[0] ?? [])], some.e], [inner, { n: 7 }], 'fieldsAsRaw: the documents of an array');
      const raw = decode(nested, { raw: true });
      expectEqual(
        ['d', 'e'].map(key => [...(raw[key] as Uint8Array)]),
        [inner, inner],
        'raw: the documents of a document',
      );
      const batch = read(cursor).view('cursor')?.batch('firstBatch');
      const first: unknown = batch?.next(bson.shape({ raw: true }));
      expectTrue(first instanceof Uint8Array && first.length === 12, 'raw: the documents of a batch');
    }),
    one('BsonOptions.enableUtf8Validation: rejects invalid UTF-8 if true, and decodes it as U+FFFD if false', () => {
      const bad = [...int32(3), 0xff, 0x41, 0];
      expectThrow(() => field(0x02, bad, {}), { kind: 'protocol' }, 'a string that is not UTF-8');
      expectEqual(field(0x02, bad, { enableUtf8Validation: false }), '\ufffdA', 'not validated');
    }),
    one('View.document: invalid BSON fails as protocol', () => {
      const good = document(element(0x02, 'k', string('abc')));
      broken([], 'no bytes');
      broken([5, 0, 0, 0], 'four bytes');
      broken([...int32(good.length + 1), ...good.slice(4)], 'a length beyond the end');
      broken([...int32(3), ...good.slice(4)], 'a length under five');
      broken([...good.slice(0, -1), 1], 'no zero at the end');
      broken(document(element(0x02, 'k', [...int32(100), ...cstring('abc')])), 'a string beyond the end');
      broken(document(element(0x02, 'k', [...int32(0), ...cstring('abc')])), 'a string without room for its zero');
      broken(document(element(0x02, 'k', [...int32(3), ...cstring('abc')])), 'a string without its zero');
      broken(document(element(0x03, 'k', int32(100))), 'a document beyond the end');
      broken(document(element(0x05, 'k', [...int32(100), 0])), 'a binary beyond the end');
      broken(document(element(0x55, 'k', [])), 'an unknown type');
      broken(document([0x10, 0x61]), 'a key without its zero');
      broken(document(element(0x12, 'k', [1, 2, 3])), 'an int64 that is cut off');
    }),
    one(
      'View: reading a field of invalid BSON fails as protocol or finds nothing; it never loops or reads beyond the end',
      () => {
        const good = Uint8Array.from(cursor);
        for (let at = 0; at < good.length; at += 1) {
          for (const byte of [0, 1, 0x7f, 0x80, 0xff]) {
            const bytes = good.slice();
            bytes[at] = byte;
            expectNoSurprise(() => {
              const reply = bson.read(bytes);
              reply.int('ok');
              const batch = reply.view('cursor')?.batch('firstBatch');
              while (batch?.next() !== undefined);
            });
            expectNoSurprise(() => bson.read(bytes).document());
          }
        }
      },
    ),
  ];
};

/** Accepts success or a MongoError `protocol`. */
const expectNoSurprise = (act: () => unknown): void => {
  try {
    act();
  } catch (error) {
    expectError(error, { kind: 'protocol' }, 'reading what is not BSON');
  }
};

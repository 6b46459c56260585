import { deepStrictEqual } from 'node:assert';
import * as npm from 'bson';
import { describe, expect, test } from 'vitest';
import { bson, decode, encode } from '@tessera/bson';

const { ObjectId } = bson.values;
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** Decodes the body after a header of this many bytes. */
const bodyOf = (message: Uint8Array, header: number): npm.Document => {
  const size = new DataView(message.buffer, message.byteOffset).getInt32(header, true);
  return decode(message.subarray(header, header + size));
};

test('a message is a header of zeros and a document, and patch writes into the header', () => {
  const writer = bson.writer();
  writer.begin(21);
  expect(writer.length).toBe(25);
  writer.int32('ping', 1);
  writer.endBody();
  writer.patch(12, 2013);
  const message = writer.take();
  expect(hex(message)).toBe(`${'00'.repeat(12)}dd070000${'00'.repeat(5)}${hex(encode({ ping: 1 }))}`);
});

test('the body accepts prepared elements, fields, numbers, values, and nested documents and arrays', () => {
  const writer = bson.writer();
  const shape = bson.shape({ ignoreUndefined: true });
  const id = new ObjectId();
  writer.begin(3);
  writer.elements(bson.elements({ find: 'things', $db: 'test' }));
  writer.elements(bson.elements({}));
  writer.elements(bson.element('lsid', encode({ id: 1 })));
  writer.fields({ a: 1, b: { c: [] } });
  writer.fields(encode({ raw: true }));
  writer.fields({}, shape);
  writer.int32('i', -5);
  writer.int64('n', -5_000_000_000);
  writer.int64('m', 2n ** 63n - 1n);
  writer.value('id', id);
  writer.value('schlüssel', undefined);
  writer.value('left out', undefined, shape);
  writer.value('filter', { a: undefined, b: { $gt: 5 } }, shape);
  writer.open('list', 'array');
  writer.open('0', 'document');
  writer.value('x', 1);
  writer.close();
  writer.value('1', 'y');
  writer.close();
  writer.open('empty', 'document');
  writer.close();
  writer.endBody();
  deepStrictEqual(bodyOf(writer.take(), 3), {
    find: 'things',
    $db: 'test',
    lsid: { id: 1 },
    a: 1,
    b: { c: [] },
    raw: true,
    i: -5,
    n: -5_000_000_000,
    m: npm.Long.fromBigInt(2n ** 63n - 1n),
    id,
    schlüssel: null,
    filter: { b: { $gt: 5 } },
    list: [{ x: 1 }, 'y'],
    empty: {},
  });
});

test('elements may have any length', () => {
  const writer = bson.writer();
  for (const length of [0, 3, 1000, 1010, 5000, 400_000]) {
    const document = { a: 1, text: 'x'.repeat(length) };
    writer.begin(0);
    writer.elements(bson.elements(document));
    writer.elements(bson.element('inner', encode(document)));
    writer.endBody();
    deepStrictEqual(decode(writer.take()), { ...document, inner: document });
  }
});

test('sections follow the body with their length and name, and document() returns the length written', () => {
  const writer = bson.writer();
  writer.begin(0);
  writer.endBody();
  writer.section('documents');
  const first = encode({ a: 1 });
  expect(writer.document({ a: 1 })).toBe(first.length);
  expect(writer.document(first)).toBe(first.length);
  writer.section('more');
  writer.document({});
  const section = (name: string, ...documents: readonly Uint8Array[]): string => {
    const content = Buffer.concat([Buffer.from(`${name}\0`), ...documents]);
    const size = Buffer.alloc(4);
    size.writeInt32LE(content.length + 4);
    return `01${hex(size)}${hex(content)}`;
  };
  expect(hex(writer.take())).toBe(hex(encode({})) + section('documents', first, first) + section('more', encode({})));
});

describe('an _id passed to document()', () => {
  const id = new ObjectId();
  const written = (document: npm.Document | Uint8Array, given?: npm.ObjectId): string => {
    const writer = bson.writer();
    writer.begin(0);
    writer.endBody();
    writer.section('d');
    const { length } = writer;
    writer.document(document, undefined, given);
    return hex(writer.take().subarray(length));
  };

  test('is written first and does not change the document', () => {
    const document = { a: 1, b: 'x' };
    expect(written(document, id)).toBe(hex(encode({ _id: id, a: 1, b: 'x' })));
    expect(document).toEqual({ a: 1, b: 'x' });
    expect(written(new Map(Object.entries(document)), id)).toBe(hex(encode({ _id: id, a: 1, b: 'x' })));
    expect(written(encode(document), id)).toBe(hex(encode({ _id: id, a: 1, b: 'x' })));
    expect(written({}, id)).toBe(hex(encode({ _id: id })));
  });

  test("replaces the document's own _id", () => {
    expect(written({ a: 1, _id: undefined, b: { _id: 5 } }, id)).toBe(hex(encode({ _id: id, a: 1, b: { _id: 5 } })));
  });

  test("is optional: a document's own _id keeps its position", () => {
    expect(written({ a: 1, _id: 5 })).toBe(hex(encode({ a: 1, _id: 5 })));
  });

  test('may be an ObjectId of another copy of the package', () => {
    const foreign = { _bsontype: 'ObjectId', id: id.id } as unknown as npm.ObjectId;
    expect(written({}, foreign)).toBe(hex(encode({ _id: id })));
  });
});

test('cut removes everything after a length: documents, and the section they opened', () => {
  const writer = bson.writer();
  writer.begin(4);
  writer.endBody();
  const before = writer.length;
  writer.section('documents');
  writer.document({ a: 1 });
  const { length } = writer;
  writer.document({ b: 'too much' });
  writer.cut(length);
  expect(writer.length).toBe(length);
  writer.document({ c: 1 });
  writer.cut(before);
  expect(hex(writer.take())).toBe(`00000000${hex(encode({}))}`);
});

test('writes messages of all sizes, and never writes to a finished message again', () => {
  const writer = bson.writer();
  const shape = bson.shape();
  const taken: [Uint8Array, string, npm.Document][] = [];
  for (const size of [10, 1000, 300_000, 20, 1_000_000, 1_200_000, 30, 70_000, 250_000, 10]) {
    for (const kind of ['text', 'many']) {
      const document =
        kind === 'text'
          ? { text: 'ä'.repeat(size / 2) }
          : { many: Array.from({ length: size / 200 }, (_, i) => ({ i, text: 'x'.repeat(180) })) };
      writer.begin(16);
      writer.endBody();
      writer.section('d');
      writer.document(document, shape);
      const message = writer.take();
      taken.push([message, hex(message), document]);
    }
  }
  for (const [message, before, document] of taken) {
    expect(hex(message) === before).toBe(true);
    deepStrictEqual(decode(message.subarray(28)), document);
  }
});

test('small messages share memory, and large ones have their own', () => {
  const writer = bson.writer();
  const message = (length: number): Uint8Array => {
    writer.begin(0);
    writer.value('text', 'x'.repeat(length));
    writer.endBody();
    return writer.take();
  };
  const [first, second] = [message(10), message(10)];
  const large = message(1_000_000);
  expect(second.buffer).toBe(first.buffer);
  expect(large.buffer).not.toBe(first.buffer);
  expect(message(10).buffer).toBe(first.buffer);
});

test('drops an unfinished message', () => {
  const writer = bson.writer();
  writer.begin(0);
  writer.open('a', 'document');
  writer.value('b', 'x'.repeat(1_000_000));
  writer.begin(0);
  writer.endBody();
  expect(hex(writer.take())).toBe(hex(encode({})));
});

test('two writers do not affect each other', () => {
  const [a, b] = [bson.writer(), bson.writer()];
  a.begin(0);
  b.begin(0);
  a.int32('a', 1);
  b.value('b', 'x'.repeat(400_000));
  a.value('own', encode({ c: 1 }).length);
  a.endBody();
  b.endBody();
  deepStrictEqual(decode(a.take()), { a: 1, own: 12 });
  deepStrictEqual(decode(b.take()), { b: 'x'.repeat(400_000) });
});

test('incorrect use throws', () => {
  const writer = bson.writer();
  const usage = { kind: 'usage' };
  expect(() => writer.int32('a', 1)).toThrow(expect.objectContaining(usage));
  writer.begin(0);
  expect(() => writer.close()).toThrow(expect.objectContaining(usage));
  expect(() => writer.int32('a', 1.5)).toThrow(expect.objectContaining(usage));
  expect(() => writer.int64('a', 2 ** 60)).toThrow(expect.objectContaining(usage));
  expect(() => writer.int32('a\0', 1)).toThrow(expect.objectContaining(usage));
  writer.open('a', 'document');
  expect(() => writer.endBody()).toThrow(expect.objectContaining(usage));
  writer.close();
  writer.endBody();
  deepStrictEqual(decode(writer.take()), { a: {} });
});

describe('the memory of a large message', () => {
  const make = (size: number): ReturnType<typeof bson.writer>['take'] => {
    const writer = bson.writer();
    return () => {
      writer.begin(16);
      writer.value('text', 'x'.repeat(size));
      writer.endBody();
      return writer.take();
    };
  };

  test('is used for the next large message after release, and not before', () => {
    const writer = bson.writer();
    const next = make(300_000);
    const first = next();
    const second = next();
    expect(second.buffer).not.toBe(first.buffer);
    writer.release(first);
    const third = next();
    expect(third.buffer).toBe(first.buffer);
    expect(bodyOf(third, 16)).toEqual({ text: 'x'.repeat(300_000) });
  });

  test('is released only once, even if release is called again', () => {
    const writer = bson.writer();
    const next = make(300_000);
    const first = next();
    writer.release(first);
    writer.release(first);
    expect(next().buffer).toBe(first.buffer);
    expect(next().buffer).not.toBe(first.buffer);
  });

  test("is not kept if many messages share it, if it is very large, or if it is not the codec's own", () => {
    const writer = bson.writer();
    const small = make(10)();
    const before = hex(small);
    writer.release(small);
    for (let i = 0; i < 100; i++) make(1000)();
    expect(hex(small)).toBe(before);
    const huge = make(5_000_000);
    const first = huge();
    writer.release(first);
    expect(huge().buffer).not.toBe(first.buffer);
    const foreign = new Uint8Array(1_000_000);
    writer.release(foreign);
    expect(make(300_000)().buffer).not.toBe(foreign.buffer);
  });
});

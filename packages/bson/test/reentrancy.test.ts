import { deepStrictEqual } from 'node:assert';
import { expect, test } from 'vitest';
import { bson, decode, encode, stringifyExtendedJson } from '@tessera/bson';

// Getters and toBSON methods run user code in the middle of a document. Their use of the codec must not affect
// that document.

/** Writes a whole message with a writer that may be in the middle of another message. */
const message = (writer: ReturnType<typeof bson.writer>, document: object): Uint8Array => {
  writer.begin(16);
  writer.int32('insert', 1);
  writer.value('x', 'y'.repeat(10));
  writer.endBody();
  writer.section('documents');
  writer.document(document);
  return writer.take();
};

// after "documents\0"
const documentOf = (taken: Uint8Array): object => decode(taken.subarray(taken.indexOf(115, 60) + 2));

test.each([
  ['encodes a document', () => encode({ other: 'x'.repeat(300_000) })],
  [
    'encodes under other options',
    () => encode({ a: undefined, f: () => 1 }, { ignoreUndefined: true, serializeFunctions: true }),
  ],
  [
    'decodes a document',
    () => decode(encode({ other: [1, { a: 'text of some length, so that it is written by the host' }] })),
  ],
  ['makes elements', () => [bson.elements({ find: 'things' }), bson.element('lsid', encode({ id: 1 }))]],
  ['writes Extended JSON', () => stringifyExtendedJson({ a: new Date() })],
  ['writes a message with a writer of its own', () => message(bson.writer(), { b: 1 })],
  ['fails to encode', () => expect(() => encode({ a: Symbol('s') })).toThrow()],
  [
    'does it all again, deeper',
    () =>
      encode({
        get a() {
          return encode({
            get b() {
              return encode({ c: 1 }).length;
            },
          }).length;
        },
      }),
  ],
])('user code that %s in the middle of a document does not affect the document', (_, meddle) => {
  const asked = { toBSON: (): unknown => (meddle(), { after: 'toBSON' }) };
  const document = {
    before: 'text',
    get got() {
      meddle();
      return 'got';
    },
    asked,
    list: [asked, { asked, deep: { asked } }],
    u: undefined,
    after: 'é'.repeat(100),
  };
  const expected = {
    before: 'text',
    got: 'got',
    asked: { after: 'toBSON' },
    list: [{ after: 'toBSON' }, { asked: { after: 'toBSON' }, deep: { asked: { after: 'toBSON' } } }],
    u: null,
    after: 'é'.repeat(100),
  };
  const shape = bson.shape();
  for (let i = 0; i < 50; i++) deepStrictEqual(decode(encode(document, shape)), expected);
  deepStrictEqual(documentOf(message(bson.writer(), document)), expected);
});

test('user code that uses the writer of its own document writes a separate message', () => {
  const writer = bson.writer();
  const sent: object[] = [];
  const document = {
    a: 1,
    get b() {
      sent.push(
        documentOf(
          message(writer, { inner: { toBSON: () => (sent.push(documentOf(message(writer, { innermost: 1 }))), 2) } }),
        ),
      );
      return 'b'.repeat(50);
    },
    c: 3,
  };
  for (let i = 0; i < 3; i++) deepStrictEqual(documentOf(message(writer, document)), { a: 1, b: 'b'.repeat(50), c: 3 });
  deepStrictEqual(
    sent,
    Array(3)
      .fill([{ innermost: 1 }, { inner: 2 }])
      .flat(),
  );
});

test('drops a message that user code begins but never takes', () => {
  const writer = bson.writer();
  const document = {
    a: 1,
    get b() {
      writer.begin(4);
      writer.value('lost', 'x'.repeat(500_000));
      return 2;
    },
  };
  deepStrictEqual(documentOf(message(writer, document)), { a: 1, b: 2 });
  deepStrictEqual(documentOf(message(writer, { c: 3 })), { c: 3 });
});

test('throws if user code writes without beginning a message, and rejects the document', () => {
  const writer = bson.writer();
  const document = {
    get a() {
      writer.int32('stray', 1);
      return 1;
    },
  };
  expect(() => message(writer, document)).toThrow(/begin\(\) must be called/);
  deepStrictEqual(documentOf(message(writer, { c: 3 })), { c: 3 });
});

test('writes a document that changes during encoding with the values that were read', () => {
  const document: Record<string, unknown> = {
    a: 1,
    get b() {
      document['c'] = 'changed';
      delete document['d'];
      document['e'] = 'new';
      return 2;
    },
    c: 3,
    d: 4,
  };
  deepStrictEqual(decode(encode(document)), { a: 1, b: 2, c: 'changed' });
});

import type { Document } from '@tessera/contracts';
import { deserialize, serialize } from 'bson';
import { describe, expect, test } from 'vitest';
import { frame, int32, kind0, kind1, listening, message, opMsg, wireOf } from './dialogue.js';

const wire = wireOf();
const refusal = (bytes: Uint8Array): unknown => {
  try {
    const { send, received } = listening(wire);
    send(bytes);
    return received;
  } catch (error) {
    return error;
  }
};
const refused = (sentence: string) =>
  expect.objectContaining({ kind: 'protocol', message: expect.stringContaining(sentence) as unknown }) as unknown;

describe('writing', () => {
  test('OP_MSG: writes a header, flagBits 0, and one section of kind 0', () => {
    const command = { ping: 1, $db: 'admin' };
    const bytes = wire.write(5, message(command));
    expect(Buffer.from(bytes)).toEqual(Buffer.concat([int32(bytes.length, 5, 0, 2013, 0), kind0(command)]));
  });

  test('OP_MSG "sections": writes document sequences after the body as kind 1', () => {
    const bytes = wire.write(
      5,
      message({ insert: 'c', $db: 'test' }, { documents: [{ _id: 1 }, { _id: 2 }], more: [] }),
    );
    expect(Buffer.from(bytes)).toEqual(
      Buffer.concat([
        int32(bytes.length, 5, 0, 2013, 0),
        kind0({ insert: 'c', $db: 'test' }),
        kind1('documents', { _id: 1 }, { _id: 2 }),
        kind1('more'),
      ]),
    );
  });

  test('OP_MSG "moreToCome On Requests" and "exhaustAllowed": sets bit 1 or 16 by the expected number of replies', () => {
    const flags = (answer: 'one' | 'none' | 'many'): number =>
      Buffer.from(wire.write(1, message({ ping: 1 }, {}, answer))).readUInt32LE(16);
    expect([flags('one'), flags('none'), flags('many')]).toEqual([0, 2, 65_536]);
  });

  test('discards a message whose body throws', () => {
    const broken = {
      ...message({ ping: 1 }),
      body: () => {
        throw new Error('no such thing');
      },
    };
    expect(() => wire.write(1, broken)).toThrow('no such thing');
    const bytes = wire.write(2, message({ ping: 1 }));
    expect(deserialize(bytes.subarray(21))).toEqual({ ping: 1 });
  });

  test('CLAM "Implementation Notes": the document of a frame contains its sequences as arrays', () => {
    const documents = Array.from({ length: 12 }, (_, n) => ({ _id: n, text: 'x'.repeat(n) }));
    const bytes = wire.write(9, message({ insert: 'c', ordered: true, $db: 'test' }, { documents, none: [] }));
    expect(wire.document(bytes)).toEqual({ insert: 'c', ordered: true, $db: 'test', documents, none: [] });
    expect(wire.document(wire.write(9, message({ ping: 1 })))).toEqual({ ping: 1 });
  });
});

describe('reading', () => {
  test('reads a reply, its responseTo and its own id', () => {
    const { received, send } = listening(wire);
    send(opMsg(0, kind0({ ok: 1, n: 3 }), { id: 8, responseTo: 5 }));
    expect(received).toEqual([{ responseTo: 5, id: 8, more: false, document: { ok: 1, n: 3 } }]);
  });

  test('OP_MSG "moreToCome On Responses": reports that more replies follow', () => {
    const { received, send } = listening(wire);
    send(Buffer.concat([opMsg(2, kind0({ n: 1 })), opMsg(0, kind0({ n: 2 }))]));
    expect(received.map(({ more }) => more)).toEqual([true, false]);
  });

  test('OP_MSG "flagBits": ignores unknown optional bits and rejects unknown required ones', () => {
    const { received, send } = listening(wire);
    for (let bit = 16; bit < 32; bit++) send(opMsg(1 << bit, kind0({ ok: 1 })));
    expect(received).toHaveLength(16);
    for (let bit = 2; bit < 16; bit++) {
      expect(refusal(opMsg(1 << bit, kind0({ ok: 1 })))).toEqual(refused('unknown required flag bits are set'));
    }
  });

  /** A message with a checksum that is computed without the codec: bit by bit over the whole message. */
  const withChecksum = (document: Document, error = 0): Uint8Array => {
    const bare = Buffer.from(opMsg(1, kind0(document)));
    bare.writeInt32LE(bare.length + 4, 0);
    let sum = 0xffffffff;
    for (const byte of bare) {
      sum ^= byte;
      for (let i = 0; i < 8; i++) sum = (sum >>> 1) ^ (sum & 1 ? 0x82f63b78 : 0);
    }
    return Buffer.concat([bare, int32(~sum + error)]);
  };

  test('OP_MSG "checksumPresent": accepts a correct CRC-32C and rejects a wrong one', () => {
    const { received, send } = listening(wire);
    send(withChecksum({ ok: 1 }));
    expect(received.map(({ document }) => document)).toEqual([{ ok: 1 }]);
    expect(refusal(withChecksum({ ok: 1 }, 1))).toEqual(refused('OP_MSG: the checksum does not match the content.'));
    expect(refusal(opMsg(1, Buffer.alloc(4)))).toEqual(refused('OP_MSG: the message ends before its checksum.'));
    expect(refusal(opMsg(1, Buffer.alloc(5)))).toEqual(refused('OP_MSG: the checksum does not match the content.'));
  });

  test('OP_MSG "checksumPresent": checks each of several messages received together by its own bytes', () => {
    const { received, send } = listening(wire);
    send(Buffer.concat([opMsg(0, kind0({ n: 1 })), withChecksum({ n: 2 }), withChecksum({ n: 3 })]));
    expect(received.map(({ document }) => document)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  });

  test('OP_MSG "sections": accepts any order, and turns sequences into arrays of the reply', () => {
    const { received, send } = listening(wire);
    send(opMsg(0, Buffer.concat([kind1('a', { x: 1 }, {}), kind0({ ok: 1 }), kind1('b')])));
    expect(received[0]?.document).toEqual({ ok: 1, a: [{ x: 1 }, {}], b: [] });
  });

  test('OP_MSG "sections": accepts up to 64 sequences, and an empty name', () => {
    const { received, send } = listening(wire);
    const names = Array.from({ length: 64 }, (_, n) => (n === 0 ? '' : `s${n}`));
    send(opMsg(0, Buffer.concat([kind0({ ok: 1 }), ...names.map(name => kind1(name))])));
    expect(received[0]?.document).toEqual({ ok: 1, ...Object.fromEntries(names.map(name => [name, []])) });
  });

  test.each([
    ['no body', kind1('a', {}), 'no section of kind 0'],
    ['two bodies', Buffer.concat([kind0({}), kind0({})]), 'two sections of kind 0'],
    [
      'a body that ends after the message, where a zero byte follows',
      Buffer.concat([Buffer.from([0]), int32(7), Buffer.alloc(1)]),
      'invalid document length 7 at byte 21 (5 bytes are left).',
    ],
    ['an unknown kind', Buffer.concat([kind0({}), Buffer.from([2])]), 'unknown section kind 2'],
    [
      'more document sequences than any command has',
      Buffer.concat([kind0({}), ...Array.from({ length: 65 }, (_, n) => kind1(`s${n}`))]),
      'more than 64 document sequences',
    ],
    ['a sequence name that is used twice', Buffer.concat([kind0({}), kind1('a'), kind1('a')]), 'the same name'],
    [
      'a body longer than the message',
      Buffer.concat([Buffer.from([0]), int32(100), Buffer.alloc(5)]),
      'invalid document length',
    ],
    ['a negative body', Buffer.concat([Buffer.from([0]), int32(-1), Buffer.alloc(5)]), 'invalid document length'],
    [
      'a sequence longer than the message',
      Buffer.concat([kind0({}), Buffer.from([1]), int32(100), Buffer.from('a\0')]),
      'invalid document sequence size',
    ],
    [
      'a sequence name without a terminator',
      Buffer.concat([kind0({}), Buffer.from([1]), int32(6), Buffer.from('ab')]),
      'invalid document sequence size',
    ],
    [
      'a document that extends past its sequence',
      Buffer.concat([kind0({}), Buffer.from([1]), int32(10), Buffer.from('a\0'), int32(9)]),
      'invalid document length',
    ],
    [
      'a document shorter than an empty one',
      Buffer.concat([Buffer.from([0]), int32(4), Buffer.from([0])]),
      'invalid document length',
    ],
    [
      'a document without a terminator',
      Buffer.concat([Buffer.from([0]), int32(5), Buffer.from([1]), kind1('a')]),
      'invalid document length',
    ],
    [
      'a document that is longer than the message',
      Buffer.concat([kind0({}), Buffer.from([0, 5, 0])]),
      'two sections of kind 0',
    ],
    [
      'a sequence that is longer than the message',
      Buffer.concat([kind0({}), Buffer.from([1, 7, 0])]),
      'invalid document sequence size -1 at byte',
    ],
    [
      'a sequence without room for a name',
      Buffer.concat([Buffer.from([1]), int32(4), kind0({})]),
      'invalid document sequence size 4 at byte',
    ],
    [
      'a sequence name that extends past the sequence',
      Buffer.concat([Buffer.from([1]), int32(5), Buffer.from('a\0'), kind0({})]),
      'invalid document sequence size 5 at byte',
    ],
    ['no section', Buffer.alloc(0), 'has no section'],
    [
      'a section that consists only of its kind',
      Buffer.from([0]),
      'invalid document length -1 at byte 21 (0 bytes are left).',
    ],
  ])('OP_MSG "sections": rejects %s', (_, sections, sentence) => {
    expect(refusal(opMsg(0, sections))).toEqual(refused(sentence));
  });

  test("OP_REPLY: reads the one document of an old server's reply", () => {
    const { received, send } = listening(wire);
    const content = (count: number, ...documents: Uint8Array[]): Buffer =>
      Buffer.concat([int32(8, 0, 0, 0, count), ...documents]);
    send(frame(1, content(1, serialize({ ismaster: true, ok: 1 }))));
    expect(received).toEqual([{ responseTo: 42, id: 7, more: false, document: { ismaster: true, ok: 1 } }]);
    const empty = serialize({});
    send(frame(1, content(1, empty)));
    expect(received[1]?.document).toEqual({});
    for (const bad of [
      ...[content(0), content(1), content(1, int32(4)), content(1, int32(6), Buffer.alloc(1))],
      ...[content(0, empty), content(2, empty), content(2, empty, empty), content(1, empty, empty)],
    ]) {
      expect(refusal(frame(1, bad))).toEqual(refused('must have exactly one document'));
    }
  });

  test('rejects any other opcode and names it', () => {
    expect(refusal(frame(2004, Buffer.alloc(30)))).toEqual(refused('opcode 2004'));
  });

  test.each([0, 15, -1, 48_016_385, 0x7fffffff, -0x80000000])(
    'rejects a length of %i before allocating memory',
    length => {
      expect(refusal(frame(2013, Buffer.alloc(0), { length }))).toEqual(
        refused(`Invalid message length of ${length} bytes`),
      );
    },
  );

  test('rejects an HTTP response by its first four bytes', () => {
    expect(refusal(Buffer.from('HTTP/1.1 400 Bad Request\r\n'))).toEqual(
      refused('Invalid message length of 1347703880 bytes'),
    );
  });

  test('rejects a message without content at once', () => {
    expect(refusal(frame(2013, Buffer.alloc(0)))).toEqual(refused('a message of 16 bytes has no section'));
  });

  test.each([16, 48_016_384])('accepts a length of %i', length => {
    const { reader, send } = listening(wire);
    const bytes = Buffer.from(frame(2013, Buffer.alloc(0), { length })).subarray(0, 15);
    send(bytes);
    reader.room().set([0], 0);
    if (length === 16) expect(() => reader.filled(1)).toThrow('a message of 16 bytes has no section');
    else expect(() => reader.filled(1)).not.toThrow();
  });

  test('reads nothing more after a rejection', () => {
    const { received, send } = listening(wire);
    expect(() => send(frame(2004, Buffer.alloc(30)))).toThrow();
    send(opMsg(0, kind0({ ok: 1 })));
    expect(received).toEqual([]);
  });
});

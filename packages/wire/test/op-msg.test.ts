import type { Document } from '@tessera/contracts';
import { deserialize, serialize } from 'bson';
import { describe, expect, test } from 'vitest';
import { frame, int32, kind0, kind1, listening, message, opMsg, wireOf } from './dialogue.js';

const wire = wireOf();
const refusal = (bytes: Uint8Array): unknown => {
  try {
    const { say, heard } = listening(wire);
    say(bytes);
    return heard;
  } catch (error) {
    return error;
  }
};
const refused = (sentence: string) =>
  expect.objectContaining({ kind: 'protocol', message: expect.stringContaining(sentence) as unknown }) as unknown;

describe('writing', () => {
  test('OP_MSG: header, flagBits 0, one section of kind 0', () => {
    const command = { ping: 1, $db: 'admin' };
    const bytes = wire.write(5, message(command));
    expect(Buffer.from(bytes)).toEqual(Buffer.concat([int32(bytes.length, 5, 0, 2013, 0), kind0(command)]));
  });

  test('OP_MSG "sections": document sequences follow the body as kind 1', () => {
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

  test('OP_MSG "moreToCome On Requests" and "exhaustAllowed": bits 1 and 16 by the answer that is wanted', () => {
    const flags = (answer: 'one' | 'none' | 'many'): number =>
      Buffer.from(wire.write(1, message({ ping: 1 }, {}, answer))).readUInt32LE(16);
    expect([flags('one'), flags('none'), flags('many')]).toEqual([0, 2, 65_536]);
  });

  test('a message whose body throws leaves nothing behind', () => {
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

  test('CLAM "Implementation Notes": the document of a frame has its sequences as arrays', () => {
    const documents = Array.from({ length: 12 }, (_, n) => ({ _id: n, text: 'x'.repeat(n) }));
    const bytes = wire.write(9, message({ insert: 'c', ordered: true, $db: 'test' }, { documents, none: [] }));
    expect(wire.document(bytes)).toEqual({ insert: 'c', ordered: true, $db: 'test', documents, none: [] });
    expect(wire.document(wire.write(9, message({ ping: 1 })))).toEqual({ ping: 1 });
  });
});

describe('reading', () => {
  test('a reply, its responseTo, its own id', () => {
    const { heard, say } = listening(wire);
    say(opMsg(0, kind0({ ok: 1, n: 3 }), { id: 8, responseTo: 5 }));
    expect(heard).toEqual([{ responseTo: 5, id: 8, more: false, document: { ok: 1, n: 3 } }]);
  });

  test('OP_MSG "moreToCome On Responses": it is told that more will come', () => {
    const { heard, say } = listening(wire);
    say(Buffer.concat([opMsg(2, kind0({ n: 1 })), opMsg(0, kind0({ n: 2 }))]));
    expect(heard.map(({ more }) => more)).toEqual([true, false]);
  });

  test('OP_MSG "flagBits": unknown optional bits are ignored, unknown required ones refused', () => {
    const { heard, say } = listening(wire);
    for (let bit = 16; bit < 32; bit++) say(opMsg(1 << bit, kind0({ ok: 1 })));
    expect(heard).toHaveLength(16);
    for (let bit = 2; bit < 16; bit++) {
      expect(refusal(opMsg(1 << bit, kind0({ ok: 1 })))).toEqual(refused('required flag bits that are not known'));
    }
  });

  /** A message with a checksum that is computed apart from the codec: bit by bit over the whole message. */
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

  test('OP_MSG "checksumPresent": a CRC-32C that fits is accepted, another refused', () => {
    const { heard, say } = listening(wire);
    say(withChecksum({ ok: 1 }));
    expect(heard.map(({ document }) => document)).toEqual([{ ok: 1 }]);
    expect(refusal(withChecksum({ ok: 1 }, 1))).toEqual(refused('OP_MSG: its checksum does not fit its content'));
    expect(refusal(opMsg(1, Buffer.alloc(4)))).toEqual(refused('OP_MSG: it ends before its checksum'));
    expect(refusal(opMsg(1, Buffer.alloc(5)))).toEqual(refused('OP_MSG: its checksum does not fit its content'));
  });

  test('OP_MSG "checksumPresent": each of several messages received at once is checked by its own bytes', () => {
    const { heard, say } = listening(wire);
    say(Buffer.concat([opMsg(0, kind0({ n: 1 })), withChecksum({ n: 2 }), withChecksum({ n: 3 })]));
    expect(heard.map(({ document }) => document)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  });

  test('OP_MSG "sections": any order; sequences become arrays of the reply', () => {
    const { heard, say } = listening(wire);
    say(opMsg(0, Buffer.concat([kind1('a', { x: 1 }, {}), kind0({ ok: 1 }), kind1('b')])));
    expect(heard[0]?.document).toEqual({ ok: 1, a: [{ x: 1 }, {}], b: [] });
  });

  test('OP_MSG "sections": a sequence may have an empty name, and 64 of them may come', () => {
    const { heard, say } = listening(wire);
    const names = Array.from({ length: 64 }, (_, n) => (n === 0 ? '' : `s${n}`));
    say(opMsg(0, Buffer.concat([kind0({ ok: 1 }), ...names.map(name => kind1(name))])));
    expect(heard[0]?.document).toEqual({ ok: 1, ...Object.fromEntries(names.map(name => [name, []])) });
  });

  test.each([
    ['no body', kind1('a', {}), 'no section of kind 0'],
    ['two bodies', Buffer.concat([kind0({}), kind0({})]), 'two sections of kind 0'],
    [
      'a body that ends behind the message, though a zero stands there',
      Buffer.concat([Buffer.from([0]), int32(7), Buffer.alloc(1)]),
      'no document of a possible length begins (7, 5 bytes are left)',
    ],
    ['an unknown kind', Buffer.concat([kind0({}), Buffer.from([2])]), 'no section of kind 2'],
    [
      'more document sequences than any command has',
      Buffer.concat([kind0({}), ...Array.from({ length: 65 }, (_, n) => kind1(`s${n}`))]),
      'more than 64 document sequences',
    ],
    ['a sequence twice', Buffer.concat([kind0({}), kind1('a'), kind1('a')]), 'the same name'],
    [
      'a body longer than the message',
      Buffer.concat([Buffer.from([0]), int32(100), Buffer.alloc(5)]),
      'no document of a possible length',
    ],
    [
      'a negative body',
      Buffer.concat([Buffer.from([0]), int32(-1), Buffer.alloc(5)]),
      'no document of a possible length',
    ],
    [
      'a sequence longer than the message',
      Buffer.concat([kind0({}), Buffer.from([1]), int32(100), Buffer.from('a\0')]),
      'no document sequence of a possible size',
    ],
    [
      'a sequence without the end of its name',
      Buffer.concat([kind0({}), Buffer.from([1]), int32(6), Buffer.from('ab')]),
      'no document sequence of a possible size',
    ],
    [
      'a document that leaves its sequence',
      Buffer.concat([kind0({}), Buffer.from([1]), int32(10), Buffer.from('a\0'), int32(9)]),
      'no document of a possible length',
    ],
    [
      'a document of fewer bytes than an empty one has',
      Buffer.concat([Buffer.from([0]), int32(4), Buffer.from([0])]),
      'no document of a possible length',
    ],
    [
      'a document that does not end with a zero',
      Buffer.concat([Buffer.from([0]), int32(5), Buffer.from([1]), kind1('a')]),
      'no document of a possible length',
    ],
    [
      'a document whose length does not fit into the message',
      Buffer.concat([kind0({}), Buffer.from([0, 5, 0])]),
      'two sections of kind 0',
    ],
    [
      'a sequence whose size does not fit into the message',
      Buffer.concat([kind0({}), Buffer.from([1, 7, 0])]),
      'no document sequence of a possible size begins (-1, 2 bytes are left)',
    ],
    [
      'a sequence without room for a name',
      Buffer.concat([Buffer.from([1]), int32(4), kind0({})]),
      'no document sequence of a possible size begins (4, ',
    ],
    [
      'a sequence whose name ends behind it',
      Buffer.concat([Buffer.from([1]), int32(5), Buffer.from('a\0'), kind0({})]),
      'no document sequence of a possible size begins (5, ',
    ],
    ['no section at all', Buffer.alloc(0), 'hold no section'],
    ['a section of its kind alone', Buffer.from([0]), 'no document of a possible length begins (-1, 0 bytes are left)'],
  ])('OP_MSG "sections": %s is refused', (_, sections, sentence) => {
    expect(refusal(opMsg(0, sections))).toEqual(refused(sentence));
  });

  test("OP_REPLY: the one document of an old server's answer", () => {
    const { heard, say } = listening(wire);
    const content = (count: number, ...documents: Uint8Array[]): Buffer =>
      Buffer.concat([int32(8, 0, 0, 0, count), ...documents]);
    say(frame(1, content(1, serialize({ ismaster: true, ok: 1 }))));
    expect(heard).toEqual([{ responseTo: 42, id: 7, more: false, document: { ismaster: true, ok: 1 } }]);
    const empty = serialize({});
    say(frame(1, content(1, empty)));
    expect(heard[1]?.document).toEqual({});
    for (const bad of [
      ...[content(0), content(1), content(1, int32(4)), content(1, int32(6), Buffer.alloc(1))],
      ...[content(0, empty), content(2, empty), content(2, empty, empty), content(1, empty, empty)],
    ]) {
      expect(refusal(frame(1, bad))).toEqual(refused('answered by exactly one document'));
    }
  });

  test('any other opcode is refused by its number', () => {
    expect(refusal(frame(2004, Buffer.alloc(30)))).toEqual(refused('opcode 2004'));
  });

  test.each([0, 15, -1, 48_016_385, 0x7fffffff, -0x80000000])(
    'a length of %i is refused before anything is allocated',
    length => {
      expect(refusal(frame(2013, Buffer.alloc(0), { length }))).toEqual(
        refused(`A message of ${length} bytes was announced`),
      );
    },
  );

  test('an HTTP answer is refused by its first four bytes', () => {
    expect(refusal(Buffer.from('HTTP/1.1 400 Bad Request\r\n'))).toEqual(refused('A message of 1347703880 bytes'));
  });

  test('a message of its header alone is refused at once', () => {
    expect(refusal(frame(2013, Buffer.alloc(0)))).toEqual(refused('16 bytes hold no section'));
  });

  test.each([16, 48_016_384])('a length of %i is accepted', length => {
    const { reader, say } = listening(wire);
    const bytes = Buffer.from(frame(2013, Buffer.alloc(0), { length })).subarray(0, 15);
    say(bytes);
    reader.room().set([0], 0);
    if (length === 16) expect(() => reader.filled(1)).toThrow('16 bytes hold no section');
    else expect(() => reader.filled(1)).not.toThrow();
  });

  test('after a refusal nothing more is read', () => {
    const { heard, say } = listening(wire);
    expect(() => say(frame(2004, Buffer.alloc(30)))).toThrow();
    say(opMsg(0, kind0({ ok: 1 })));
    expect(heard).toEqual([]);
  });
});

import type { BsonCodec, Compressor, FrameReader, Message, WireCodec } from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';
import { createChance } from '../chance.js';
import { cstring, document, element, int32, string } from '../bytes.js';
import { expectEqual, expectError, expectThrow, expectTrue } from '../case.js';
import type { ContractCase } from '../case.js';
import { atOnce, changed, later } from './compressors.js';
import { answer, bodySection, crc32c, frame, numbered } from './frames.js';

export interface WireSuiteDeps {
  /** The `CreateWire` under test. */
  readonly createWire: (deps: { readonly bson: BsonCodec; readonly compressors: readonly Compressor[] }) => WireCodec;
  readonly bson: BsonCodec;
}

/** The arguments of one call of `take`. */
interface Taken {
  readonly to: number;
  readonly n: number | undefined;
  readonly more: boolean;
  readonly id: number;
}

const settled = async (): Promise<void> => {
  for (let hop = 0; hop < 200; hop += 1) await Promise.resolve();
};

/**
 * Returns the cases of {@link WireCodec}: OP_MSG in both directions, in pieces of any size, compressed or not.
 * Rule: OP_MSG; OP_COMPRESSED.
 */
export const wireSuite = ({ createWire, bson }: WireSuiteDeps): readonly ContractCase[] => {
  const wire = createWire({ bson, compressors: [atOnce, later] });

  const one = (name: string, run: () => void | Promise<void>): ContractCase => ({
    name,
    run: async () => {
      await run();
    },
  });

  const message = (more: Partial<Message> = {}): Message => ({
    db: 'db',
    name: 'insert',
    operationId: 1,
    answer: 'one',
    body: writer => {
      writer.value('insert', 'users');
      writer.value('$db', 'db');
    },
    reply: () => undefined,
    end: () => undefined,
    fail: () => undefined,
    ...more,
  });
  const insertBody = document(element(0x02, 'insert', string('users')), element(0x02, '$db', string('db')));

  interface Ear {
    readonly reader: FrameReader;
    readonly taken: Taken[];
    readonly failures: unknown[];
  }
  const ear = (readsAhead = false): Ear => {
    const taken: Taken[] = [];
    const failures: unknown[] = [];
    const reader = wire.reader({
      readsAhead,
      take: (to, reply, more, id) => void taken.push({ to, n: reply.int('n'), more, id }),
      failed: cause => void failures.push(cause),
    });
    return { reader, taken, failures };
  };

  /** Writes into the reader's room as a socket does, never more than fits. */
  const feed = (reader: FrameReader, bytes: readonly number[] | Uint8Array, most = Infinity): void => {
    for (let at = 0; at < bytes.length;) {
      const room = reader.room();
      expectTrue(room.length > 0, 'room() gives at least one byte');
      const length = Math.min(room.length, bytes.length - at, most);
      for (let index = 0; index < length; index += 1) room[index] = bytes[at + index] ?? 0;
      at += length;
      reader.filled(length);
    }
  };

  const lost = (bytes: readonly number[], what: string): void => {
    for (const most of [Infinity, 1, 5]) {
      const { reader, taken } = ear();
      expectThrow(() => feed(reader, bytes, most), { kind: 'protocol' }, what);
      // A socket may deliver the rest of the packet that contained the error.
      feed(reader, bytes, most);
      expectEqual(taken, [], `replies after ${what}`);
    }
  };

  return [
    one('OP_MSG: a message has its length, its request id, opcode 2013 and the flags for its kind of reply', () => {
      const flagsOf = (kind: Message['answer']): readonly number[] => [...wire.write(77, message({ answer: kind }))];
      const expected = (flags: number): readonly number[] =>
        frame({ id: 77, flags, sections: bodySection(insertBody) });
      expectEqual(flagsOf('one'), expected(0), 'answer one');
      expectEqual(flagsOf('none'), expected(2), 'answer none: moreToCome');
      expectEqual(flagsOf('many'), expected(0x10000), 'answer many: exhaustAllowed');
    }),
    one('OP_MSG: document sequences follow the body', () => {
      const written = wire.write(
        7,
        message({
          sections: writer => {
            writer.section('documents');
            writer.document({ n: 1 });
            writer.document({ n: 2 });
          },
        }),
      );
      const documents = [1, 2].flatMap(n => document(element(0x10, 'n', int32(n))));
      const sequence = [...cstring('documents'), ...documents];
      const sections = [...bodySection(insertBody), 1, ...int32(sequence.length + 4), ...sequence];
      expectEqual([...written], frame({ id: 7, sections }), 'the message');
      const command = { insert: 'users', $db: 'db', documents: [{ n: 1 }, { n: 2 }] };
      expectEqual(wire.document(written), command, 'the command in events');
    }),
    one('WireCodec.write: throws the error of a body, and the next message is complete', () => {
      const cause = new MongoError('usage', 'cannot be written');
      const failing = message({
        body: writer => {
          writer.value('insert', 'lost');
          throw cause;
        },
      });
      const error = expectThrow(() => wire.write(1, failing), { kind: 'usage' }, 'a body that throws');
      expectTrue(error === cause, 'it is thrown as it is');
      expectEqual(
        [...wire.write(2, message())],
        frame({ id: 2, sections: bodySection(insertBody) }),
        'the next message',
      );
    }),
    one('WireCodec.write: a message does not change when others follow', () => {
      const first = wire.write(1, message());
      const before = [...first];
      for (let id = 2; id < 40; id += 1) {
        wire.write(id, message({ body: writer => writer.value('pad', 'x'.repeat(id * 1000)) }));
      }
      expectEqual([...first], before, 'the first message');
    }),
    one('FrameReader: delivers complete replies in order, for any division into packets', () => {
      const sizes = [0, 1, 100, 5000, 40_000, 7, 150_000, 2];
      const stream = Uint8Array.from(sizes.flatMap((padding, n) => answer(n + 1, n, { padding })));
      const expected = sizes.map((_, n) => ({ to: n + 1, n, more: false, id: 1000 + n }));
      for (const readsAhead of [false, true]) {
        for (const most of [1, 16, 1000, Infinity]) {
          const { reader, taken } = ear(readsAhead);
          feed(reader, stream, most);
          expectEqual(taken, expected, `replies, read in pieces of ${most}`);
        }
        const chance = createChance(5);
        const { reader, taken } = ear(readsAhead);
        for (let at = 0; at < stream.length;) {
          const next = at + 1 + chance.below(chance.happens(0.5) ? 20 : 60_000);
          feed(reader, stream.slice(at, next));
          at = next;
        }
        expectEqual(taken, expected, 'replies, read in pieces by chance');
      }
    }),
    one('FrameReader: sockets that are read in turns are independent', () => {
      const ears = [ear(), ear(), ear(true)];
      const streams = ears.map((_, index) => answer(index + 1, index, { padding: 100 * index }));
      for (let at = 0; at < 400; at += 11) {
        for (const [index, { reader }] of ears.entries()) feed(reader, streams[index]?.slice(at, at + 11) ?? []);
      }
      expectEqual(
        ears.map(({ taken }) => taken),
        ears.map((_, index) => [{ to: index + 1, n: index, more: false, id: 1000 + index }]),
        'replies',
      );
    }),
    one('Reply: a kept batch stays valid when other messages follow', () => {
      const list = document(
        element(0x03, '0', document(element(0x02, 'a', string('one')))),
        element(0x03, '1', document(element(0x02, 'a', string('two')))),
      );
      const kept: unknown[] = [];
      const batches: (() => unknown)[] = [];
      const reader = wire.reader({
        readsAhead: false,
        take: (_, reply) => {
          const batch = reply.batch('list')?.keep();
          batches.push(() => [batch?.next(), batch?.next()]);
        },
        failed: cause => void kept.push(cause),
      });
      const sections = bodySection(document(element(0x04, 'list', list)));
      feed(reader, frame({ sections }));
      feed(ear().reader, answer(2, 2, { padding: 200_000 }));
      feed(reader, frame({ sections }), 9);
      for (const next of batches) kept.push(next());
      const documents = [{ a: 'one' }, { a: 'two' }];
      expectEqual(kept, [documents, documents], 'what was kept');
    }),
    one('OP_MSG "moreToCome On Responses": it is passed to take', () => {
      const { reader, taken } = ear();
      feed(reader, [...answer(1, 1, { flags: 2 }), ...answer(1001, 2)]);
      expectEqual(
        taken.map(({ more }) => more),
        [true, false],
        'more',
      );
    }),
    one('OP_MSG: ignores optional flag bits and fails the stream on unknown required ones', () => {
      const { reader, taken } = ear();
      feed(reader, answer(1, 1, { flags: 0x10000 | (1 << 20) }));
      expectEqual(taken.length, 1, 'replies');
      lost(answer(1, 1, { flags: 4 }), 'required bit 2');
      lost(answer(1, 1, { flags: 1 << 15 }), 'required bit 15');
    }),
    one('OP_MSG: accepts a checksum at the end and fails the stream if it is wrong', () => {
      const plain = answer(1, 1, { flags: 1 });
      const longer = [...int32(plain.length + 4), ...plain.slice(4)];
      const { reader, taken } = ear();
      feed(reader, [...longer, ...int32(crc32c(longer))]);
      expectEqual(taken, [{ to: 1, n: 1, more: false, id: 1001 }], 'replies');
      lost([...longer, ...int32(crc32c(longer) ^ 1)], 'a wrong checksum');
    }),
    one('FrameReader: invalid lengths and opcodes fail the stream', () => {
      lost([...int32(15), ...answer(1, 1).slice(4)], 'a length under 16');
      lost([...int32(-1), ...answer(1, 1).slice(4)], 'a negative length');
      lost([...int32(0x7fffffff), ...answer(1, 1).slice(4)], 'a length of two gigabytes');
      lost(frame({ opcode: 2010, sections: bodySection(numbered(1)) }), 'an opcode that is not known');
      lost([...int32(16), ...int32(1), ...int32(1), ...int32(2013)], 'a message without flags');
      lost(frame({ sections: [] }), 'a message without a section');
      lost(frame({ sections: [2, ...numbered(1)] }), 'a section of an unknown kind');
      lost(frame({ sections: [1, ...int32(100), ...cstring('x')] }), 'a sequence beyond the end');
    }),
    ...[atOnce, later].map(compressor =>
      one(`OP_COMPRESSED: messages compressed ${compressor.name} are read in order with the others`, async () => {
        const plain = answer(5, 5, { padding: 300, flags: 2 });
        const envelope = await wire.compress(Uint8Array.from(plain), compressor);
        const content = [...changed(Uint8Array.from(plain.slice(16)))];
        const head = [...int32(25 + content.length), ...plain.slice(4, 12), ...int32(2012)];
        const about = [...int32(2013), ...int32(plain.length - 16), compressor.id];
        expectEqual([...envelope], [...head, ...about, ...content], 'the envelope');
        for (const most of [Infinity, 10]) {
          const { reader, taken, failures } = ear();
          feed(reader, [...answer(4, 4), ...envelope, ...envelope, ...answer(6, 6)], most);
          await settled();
          expectEqual([taken.map(({ n }) => n), failures], [[4, 5, 5, 6], []], 'replies, failures');
          expectEqual(taken[1], { to: 5, n: 5, more: true, id: 1005 }, 'the compressed one');
        }
      }),
    ),
    one('OP_COMPRESSED: compressor 0 leaves the message unchanged', () => {
      const plain = answer(5, 5);
      const about = [...int32(2013), ...int32(plain.length - 16), 0];
      const envelope = [
        ...int32(plain.length + 9),
        ...plain.slice(4, 12),
        ...int32(2012),
        ...about,
        ...plain.slice(16),
      ];
      const { reader, taken } = ear();
      feed(reader, envelope);
      expectEqual(taken, [{ to: 5, n: 5, more: false, id: 1005 }], 'replies');
    }),
    one('OP_COMPRESSED: an unknown compressor or a wrong uncompressed size fails the stream', async () => {
      const plain = Uint8Array.from(answer(5, 5));
      const unknown = await wire.compress(plain, { ...atOnce, id: 99 });
      lost([...unknown], 'an unknown compressor');
      const wrong = [...(await wire.compress(plain, atOnce))];
      wrong[20] = (wrong[20] ?? 0) + 1;
      lost(wrong, 'a wrong length');
      const wrongLater = [...(await wire.compress(plain, later))];
      wrongLater[20] = (wrongLater[20] ?? 0) + 1;
      const { reader, taken, failures } = ear();
      feed(reader, wrongLater);
      await settled();
      expectEqual([taken.length, failures.length], [0, 1], 'replies, failures');
      expectError(failures[0], { kind: 'protocol' }, 'what failed() heard');
    }),
  ];
};

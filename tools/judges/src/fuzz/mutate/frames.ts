import type { Chance } from '../../chance.js';
import type { Message, Section } from '../message.js';
import { envelope, opCompressed, opMsg, opQuery, writeMessage } from '../message.js';

const withNumberAt = (frame: Buffer, at: number, value: number): Buffer => {
  if (frame.length < at + 4) return frame;
  const copy = Buffer.from(frame);
  copy.writeInt32LE(value | 0, at);
  return copy;
};

const lengths = [-2_147_483_648, -1, 0, 1, 15, 16, 20, 47_999_999, 48_000_001, 2_147_483_647];

const flags = [1, 2, 3, 4, 0x8000, 0x10000, 0x10001, 0x10002, 0x20000, -1];

type Change = (chance: Chance, frame: Buffer) => Buffer;

const frameChanges: readonly (readonly [weight: number, change: Change])[] = [
  [2, (chance, frame) => withNumberAt(frame, 0, chance.pick(lengths))],
  [2, (chance, frame) => withNumberAt(frame, 0, frame.length + chance.pick([-5, -1, 1, 4, 100]))],
  [
    2,
    (chance, frame) =>
      withNumberAt(frame, 12, chance.pick([0, 1, 2001, 2002, opQuery, 2005, 2010, 2011, opCompressed, opMsg, -1])),
  ],
  [3, (chance, frame) => withNumberAt(frame, 16, chance.pick(flags))],
  [1, (chance, frame) => withNumberAt(frame, 16 + chance.below(Math.max(1, frame.length - 20)), chance.pick(lengths))],
  [2, (chance, frame) => frame.subarray(0, chance.below(frame.length))],
  [1, (_chance, frame) => Buffer.concat([frame, frame])],
  [
    3,
    (chance, frame) => {
      const copy = Buffer.from(frame);
      for (let i = chance.below(4); i >= 0; i--) copy[chance.below(copy.length)] = chance.below(256);
      return copy;
    },
  ],
  [
    2,
    (chance, frame) =>
      envelope(frame, {
        compressor: chance.pick([0, 1, 2, 2, 3, 4, 255]),
        announced: chance.pick([frame.length - 16, frame.length, 0, -1, 47_999_999, 2_147_483_647]),
      }),
  ],
  [1, (_chance, frame) => envelope(envelope(frame))],
  // Add a checksum, which is usually wrong.
  [
    1,
    (_chance, frame) =>
      withNumberAt(withNumberAt(Buffer.concat([frame, Buffer.alloc(4, 7)]), 0, frame.length + 4), 16, 1),
  ],
  // Compress eight megabytes of zeros into few bytes.
  [0.2, (_chance, frame) => envelope(Buffer.concat([frame, Buffer.alloc(8_000_000)]))],
];

/** Changes one property of a frame outside of its documents. */
export const mutateFrame = (chance: Chance, frame: Buffer): Buffer => chance.weighted(frameChanges)(chance, frame);

const mutateSections = (chance: Chance, sections: readonly Section[]): readonly Section[] => {
  const section = chance.pick(sections);
  return chance.pick<readonly Section[]>([
    [...sections, section],
    [...sections].reverse(),
    sections.map(one => ({ ...one, kind: chance.pick([0, 1, 2, 255]) })),
    [...sections, { kind: 1, name: chance.pick(['documents', 'updates', 'ops', '', 'a']), documents: [] }],
    sections.slice(1),
  ]);
};

/** Encodes a message, sometimes with mixed-up sections or compressed. */
export const mutateMessage = (chance: Chance, message: Message): Buffer => {
  const sections =
    message.sections.length > 0 && chance.yes(0.05) ? mutateSections(chance, message.sections) : message.sections;
  return writeMessage({ ...message, sections, compressed: chance.yes(0.06) });
};

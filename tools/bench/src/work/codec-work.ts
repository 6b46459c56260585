import { serialize } from 'bson';
import { officialBytes } from '../documents/official.js';
import { variedDocuments } from '../documents/varied.js';
import type { Codec } from '../side.js';
import type { Work } from './work.js';

const seed = 7;
const variedCount = 500;

const hex = (bytes: unknown): string => Buffer.from(bytes as Uint8Array).toString('hex');
const itself = (value: unknown): unknown => value;

const cycle =
  <T>(all: readonly T[]): ((number: number) => T) =>
  number =>
    all[number % all.length]!;

/** Creates the work of encoding and decoding one data set. It encodes decoded documents, as applications do. */
const codecWorks = (name: string, codec: Codec, bytes: readonly Uint8Array[]): readonly [string, Work][] => {
  const encoded = cycle(bytes);
  const decoded = cycle(bytes.map(document => codec.decode(document)));
  return [
    [
      `encode-${name}`,
      {
        operate: number => codec.encode(decoded(number)),
        asynchronous: false,
        outcome: hex,
        verify: async () => bytes.map((_, index) => hex(codec.encode(decoded(index)))),
      },
    ],
    [
      `decode-${name}`,
      {
        operate: number => codec.decode(encoded(number)),
        asynchronous: false,
        outcome: itself,
        verify: async () => bytes.map(document => codec.decode(document)),
      },
    ],
  ];
};

const dataSets = (): ReadonlyMap<string, readonly Uint8Array[]> =>
  new Map<string, readonly Uint8Array[]>([
    ...[...officialBytes()].map(([name, bytes]): [string, Uint8Array[]] => [name, [bytes]]),
    ['varied', variedDocuments(variedCount, seed).map(document => serialize(document))],
  ]);

const mixingRounds = 200;

/**
 * Creates the work of all data sets. It encodes and decodes every data set before measuring, so that the engine has
 * seen as many
 * types as in an application.
 */
export const createCodecWorks = (newCodec: () => Codec): ReadonlyMap<string, Work> => {
  const works = new Map([...dataSets()].flatMap(([name, bytes]) => codecWorks(name, newCodec(), bytes)));
  for (const [name, { operate }] of works) {
    const rounds = name.endsWith('-large') ? 2 : mixingRounds;
    for (let number = 0; number < rounds; number += 1) operate(number, {});
  }
  return works;
};

import { serialize } from 'bson';
import { officialBytes } from '../documents/official.js';
import { variedDocuments } from '../documents/varied.js';
import type { Document } from '../documents/varied.js';
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

/** How often each data set is processed before it is measured. */
const roundsOf = (name: string): number => (name.endsWith('large') ? 2 : 200);

/**
 * Creates the work of encoding and decoding one data set. It encodes documents of a warm decoder, as applications do: a
 * decoder builds its first documents of a kind in another way than all later ones.
 */
const codecWorks = (name: string, codec: Codec, bytes: readonly Uint8Array[]): readonly [string, Work][] => {
  const decodeAll = (): readonly Document[] => bytes.map(document => codec.decode(document));
  for (let round = 0; round < roundsOf(name); round += 1) decodeAll();
  const encoded = cycle(bytes);
  const decoded = cycle(decodeAll());
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

/**
 * Creates the work of all data sets. It encodes and decodes every data set before measuring, so that the engine has
 * seen as many types as in an application.
 */
export const createCodecWorks = (newCodec: () => Codec): ReadonlyMap<string, Work> => {
  const works = new Map([...dataSets()].flatMap(([name, bytes]) => codecWorks(name, newCodec(), bytes)));
  for (const [name, { operate }] of works) {
    for (let number = 0; number < roundsOf(name); number += 1) operate(number, {});
  }
  return works;
};

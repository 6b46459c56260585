import type { Random } from '@tessera/contracts';

/** Seeded random numbers, and the draws that a network needs. */
export interface Chance extends Random {
  /** Returns an integer from 0 to `limit` - 1. */
  below(limit: number): number;
  /** Returns true with this probability. */
  happens(probability: number): boolean;
}

const scramble = (hash: number, value: number): number => {
  let mixed = Math.imul(hash ^ value, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
};

/** Hashes a number and a name to 32 bits, so that each user of random numbers has a stream of its own. */
const mix = (seed: number, stream: string): number => {
  let hash = scramble(0x9e3779b9, seed >>> 0);
  hash = scramble(hash, Math.floor(seed / 0x1_0000_0000) >>> 0);
  for (let index = 0; index < stream.length; index += 1) hash = scramble(hash, stream.charCodeAt(index));
  return hash;
};

/**
 * Returns random numbers that depend only on the seed and the name of the stream. Not for secrets.
 * The generator is sfc32 (Chris Doty-Humphrey's small fast counting generator).
 */
export const createChance = (seed: number, stream = ''): Chance => {
  let a = mix(seed, `${stream}/a`);
  let b = mix(seed, `${stream}/b`);
  let c = mix(seed, `${stream}/c`);
  let counter = 1;

  const draw = (): number => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return sum >>> 0;
  };
  for (let round = 0; round < 12; round += 1) draw();

  const unit = (): number => draw() / 0x1_0000_0000;
  return {
    unit,
    bytes: length => Uint8Array.from({ length }, () => draw() >>> 24),
    below: limit => Math.floor(unit() * limit),
    // Always draws once, so that a probability of 0 does not shift later draws.
    happens: probability => unit() < probability,
  };
};

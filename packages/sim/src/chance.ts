import type { Random } from '@tessera/contracts';

/** Chance with a seed, and what a network draws from it. */
export interface Chance extends Random {
  /** A whole number from 0 to just below `limit`. */
  below(limit: number): number;
  /** True with this probability. */
  happens(probability: number): boolean;
}

const scramble = (hash: number, value: number): number => {
  let mixed = Math.imul(hash ^ value, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
};

/** 32 bits of a number and a name, so that each user of chance has a stream of its own. */
const mix = (seed: number, stream: string): number => {
  let hash = scramble(0x9e3779b9, seed >>> 0);
  hash = scramble(hash, Math.floor(seed / 0x1_0000_0000) >>> 0);
  for (let index = 0; index < stream.length; index += 1) hash = scramble(hash, stream.charCodeAt(index));
  return hash;
};

/**
 * The same seed and stream give the same values, whatever other streams are used for. Not for secrets.
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
    // One draw always, so that a probability of 0 does not shift what comes after.
    happens: probability => unit() < probability,
  };
};

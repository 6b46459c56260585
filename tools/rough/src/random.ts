/** Pseudorandom draws from a seed (mulberry32). */
export interface Random {
  /** An integer from 0 up to but excluding `end`. */
  below(end: number): number;
  chance(part: number): boolean;
  pick<T>(list: readonly T[]): T;
}

export const createRandom = (seed: number): Random => {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number): number => Math.floor(next() * end);
  return { below, chance: part => next() < part, pick: list => list[below(list.length)]! };
};

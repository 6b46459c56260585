/** A seeded source of random values. The same seed gives the same values. */
export interface Chance {
  /** Returns an integer from 0 up to, but not including, the limit. */
  below(limit: number): number;
  yes(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
  /** Picks one of the values according to their weights. */
  weighted<T>(list: readonly (readonly [weight: number, value: T])[]): T;
  /** Makes between `least` and `most` values. `make` receives the position of each value. */
  many<T>(least: number, most: number, make: (at: number) => T): T[];
  /** Picks some of the values, each at most once, in their order. */
  some<T>(list: readonly T[], least: number, most: number): T[];
}

/** The generator mulberry32. */
const numbersOf = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
};

export const createChance = (seed: number): Chance => {
  const next = numbersOf(seed);
  const below = (limit: number): number => Math.floor(next() * limit);
  const self: Chance = {
    below,
    yes: probability => next() < probability,
    pick: list => list[below(list.length)]!,
    weighted: list => {
      let left = next() * list.reduce((sum, [weight]) => sum + weight, 0);
      for (const [weight, value] of list) if ((left -= weight) < 0) return value;
      return list.at(-1)![1];
    },
    many: (least, most, make) => Array.from({ length: least + below(most - least + 1) }, (_, at) => make(at)),
    some: (list, least, most) => {
      const left = Math.min(list.length, least + below(most - least + 1));
      const chosen = new Set<number>();
      while (chosen.size < left) chosen.add(below(list.length));
      return list.filter((_, at) => chosen.has(at));
    },
  };
  return self;
};

import type { StringKeys } from './compare.js';

/** A key consists of blocks of three units with 15 bits each. Blocks are integers below the limit. */
const limit = 2 ** 45;

const unitOf = (bits: number): string => String.fromCharCode((bits & 0x7fff) + 2);

const blockOf = (n: number): string =>
  unitOf(n / 2 ** 30) + unitOf(Math.floor(n / 2 ** 15) % 2 ** 15) + unitOf(n % 2 ** 15);

const blockAt = (key: string, at: number): number =>
  (key.charCodeAt(at) - 2) * 2 ** 30 + (key.charCodeAt(at + 1) - 2) * 2 ** 15 + (key.charCodeAt(at + 2) - 2);

/** Where in a gap the next key is expected: directly above the last one, directly below it, or anywhere. */
type Trend = 'up' | 'down' | 'any';

const placeIn = (gap: number, trend: Trend): number => {
  const step = Math.max(1, Math.min(2 ** 20, Math.floor(gap / 1024)));
  return trend === 'up' ? step : trend === 'down' ? gap - step : Math.floor(gap / 2);
};

/** Returns a key between two others, which are adjacent. */
const between = (below: string, above: string | undefined, trend: Trend): string => {
  let prefix = '';
  let bound = above;
  for (let at = 0; ; at += 3) {
    const low = at < below.length ? blockAt(below, at) : 0;
    const high = bound === undefined ? limit : blockAt(bound, at);
    if (high - low > 1) return prefix + blockOf(low + placeIn(high - low, trend));
    prefix += blockOf(low);
    if (high > low) bound = undefined;
  }
};

/** Strings in order, with their keys. */
interface Run {
  readonly texts: string[];
  readonly keys: string[];
}

/** The length at which a run is split. An insertion moves the part of a run that follows it. */
const longestRun = 512;

/** Returns the first position from `low` to `high` that is not below, or `high`. */
const firstFrom = (low: number, high: number, isBelow: (at: number) => boolean): number => {
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBelow(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
};

/**
 * Creates a function that returns a key for each string. Keys have the order of the strings, and equal strings have the
 * same key. Intl.Collator can compare strings, but it does not produce keys, so each new string gets a key between
 * those of its neighbours. Keys of two such functions cannot be compared.
 *
 * `lookup` returns keys that are valid until the next new string. It remembers none, so that queries use no memory.
 */
export const createKeys = (compare: (a: string, b: string) => number): StringKeys & { readonly lookup: StringKeys } => {
  const known = new Map<string, string>();
  const runs: Run[] = [{ texts: [], keys: [] }];
  let last = 'none';
  let before: Trend = 'any';
  const find = (text: string, isKept: boolean): string => {
    const run = firstFrom(1, runs.length, at => compare(runs[at]!.texts[0]!, text) <= 0) - 1;
    const { texts, keys } = runs[run]!;
    const at = firstFrom(0, texts.length, i => compare(texts[i]!, text) < 0);
    if (at < texts.length && compare(texts[at]!, text) === 0) return keys[at]!;
    const below = keys[at - 1] ?? '';
    const above = keys[at] ?? runs[run + 1]?.keys[0];
    if (!isKept) return between(below, above, 'any');
    const trend = below === last ? 'up' : above === last ? 'down' : 'any';
    last = between(below, above, trend === before ? trend : 'any');
    before = trend;
    texts.splice(at, 0, text);
    keys.splice(at, 0, last);
    const half = texts.length >> 1;
    if (texts.length > longestRun) runs.splice(run + 1, 0, { texts: texts.splice(half), keys: keys.splice(half) });
    return last;
  };
  return {
    key: text => {
      const found = known.get(text);
      if (found !== undefined) return found;
      const key = find(text, true);
      known.set(text, key);
      return key;
    },
    lookup: { key: text => known.get(text) ?? find(text, false) },
  };
};

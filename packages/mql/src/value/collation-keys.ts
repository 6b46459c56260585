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

/**
 * Creates a function that returns a key for each string. Keys have the order of the strings, and equal strings have the
 * same key. Intl.Collator can compare strings, but it does not produce keys, so each new string gets a key between
 * those of its neighbours. Keys of two such functions cannot be compared.
 */
export const createKeys = (compare: (a: string, b: string) => number): ((text: string) => string) => {
  const known = new Map<string, string>();
  const texts: string[] = [];
  const keys: string[] = [];
  let last = -2;
  let before: Trend = 'any';
  return text => {
    const found = known.get(text);
    if (found !== undefined) return found;
    let low = 0;
    let high = texts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compare(texts[middle]!, text) < 0) low = middle + 1;
      else high = middle;
    }
    if (low === texts.length || compare(texts[low]!, text) !== 0) {
      const trend = low === last + 1 ? 'up' : low === last ? 'down' : 'any';
      const key = between(keys[low - 1] ?? '', keys[low], trend === before ? trend : 'any');
      texts.splice(low, 0, text);
      keys.splice(low, 0, key);
      last = low;
      before = trend;
    }
    const key = keys[low]!;
    known.set(text, key);
    return key;
  };
};

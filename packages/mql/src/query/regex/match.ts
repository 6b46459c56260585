import { fail } from '../../errors.js';
import { spend as took } from '../../work/meter.js';
import type { CharTest, Pattern } from './syntax.js';

export interface Found {
  readonly index: number;
  readonly text: string;
  /** The text of each group that took part in the match. */
  readonly groups: ReadonlyMap<string, string>;
}

/** The number of attempts of one search. mongod's PCRE has a limit of the same kind. */
const maxSteps = 1_000_000;

export const exceeded = (): Error =>
  fail(51156, 'Error occurred while executing the regular expression. Result code: match limit exceeded');

/** One search in one text. */
interface Search {
  readonly text: string;
  readonly groups: Map<string, string>;
  left: number;
}

type Next = (at: number) => boolean;

/** Returns whether the part matches at the offset and `next` accepts the end of the match. */
type Matcher = (search: Search, at: number, next: Next) => boolean;

/** The part of a search that a run of characters needs. */
interface Run {
  readonly text: string;
  left: number;
}

const spend = (search: Run): void => {
  if (--search.left < 0) throw exceeded();
};

const isWord = (text: string, at: number): boolean => /^\w$/.test(text.charAt(at));

const widthOf = (point: number): number => (point > 0xffff ? 2 : 1);

const sequence = (parts: readonly Matcher[]): Matcher => {
  const from =
    (i: number): Matcher =>
    (search, at, next) =>
      i === parts.length ? next(at) : parts[i]!(search, at, end => rest[i]!(search, end, next));
  const rest = parts.map((_, i) => from(i + 1));
  return from(0);
};

/** Clears the groups for an attempt, and restores them if the attempt fails. */
const restoring = (search: Search, names: readonly string[], attempt: () => boolean): boolean => {
  if (names.length === 0) return attempt();
  const before = names.map(name => [name, search.groups.get(name)] as const);
  for (const name of names) search.groups.delete(name);
  if (attempt()) return true;
  for (const [name, text] of before) {
    if (text === undefined) search.groups.delete(name);
    else search.groups.set(name, text);
  }
  return false;
};

/** Matches repeated single characters in a loop, without a call for each. */
export const charRun =
  (
    test: CharTest,
    { least, most, lazy }: Pick<Extract<Pattern, { is: 'repeat' }>, 'least' | 'most' | 'lazy'>,
  ): ((search: Run, at: number, next: Next) => boolean) =>
  (search, at, next) => {
    const { text } = search;
    const ends: number[] = [at];
    let end = at;
    const more = (): boolean => {
      if (ends.length > most || end >= text.length) return false;
      const point = text.codePointAt(end)!;
      spend(search);
      if (!test(point)) return false;
      end += widthOf(point);
      ends.push(end);
      return true;
    };
    while (ends.length <= least) if (!more()) return false;
    if (lazy) {
      do {
        spend(search);
        if (next(end)) return true;
      } while (more());
      return false;
    }
    while (more());
    for (let count = ends.length - 1; count >= least; count--) {
      spend(search);
      if (next(ends[count]!)) return true;
    }
    return false;
  };

const rounds = (of: Matcher, repeat: Extract<Pattern, { is: 'repeat' }>): Matcher => {
  const { least, most, lazy, groups } = repeat;
  return (search, start, next) => {
    const from = (count: number, at: number): boolean => {
      spend(search);
      const again = (): boolean =>
        count < most &&
        restoring(search, groups, () =>
          // An iteration that matches the empty string would repeat forever.
          of(search, at, end => (end === at && count >= least ? false : from(count + 1, end))),
        );
      if (count < least) return again();
      return lazy ? next(at) || again() : again() || next(at);
    };
    return from(0, start);
  };
};

const look = (of: Matcher, { behind, negated }: Extract<Pattern, { is: 'look' }>): Matcher => {
  const holds = (search: Search, at: number): boolean => {
    if (!behind) return of(search, at, () => true);
    for (let from = at; from >= 0; from--) {
      spend(search);
      if (of(search, from, end => end === at)) return true;
    }
    return false;
  };
  return (search, at, next) => holds(search, at) !== negated && next(at);
};

const compileRepeat = (repeat: Extract<Pattern, { is: 'repeat' }>, fold: boolean): Matcher =>
  repeat.of.is === 'char' ? charRun(repeat.of.test, repeat) : rounds(compile(repeat.of, fold), repeat);

const same = (a: string, b: string, fold: boolean): boolean => (fold ? a.toLowerCase() === b.toLowerCase() : a === b);

const compile = (pattern: Pattern, fold: boolean): Matcher => {
  switch (pattern.is) {
    case 'char':
      return (search, at, next) => {
        spend(search);
        if (at >= search.text.length) return false;
        const point = search.text.codePointAt(at)!;
        return pattern.test(point) && next(at + widthOf(point));
      };
    case 'start':
      return (_search, at, next) => at === 0 && next(at);
    case 'end':
      return (search, at, next) => at === search.text.length && next(at);
    case 'boundary':
      return ({ text }, at, next) => (isWord(text, at - 1) === isWord(text, at)) === pattern.negated && next(at);
    case 'sequence':
      return sequence(pattern.of.map(part => compile(part, fold)));
    case 'choice': {
      const parts = pattern.of.map(part => compile(part, fold));
      return (search, at, next) => {
        spend(search);
        return parts.some(part => part(search, at, next));
      };
    }
    case 'group': {
      const { name } = pattern;
      const of = compile(pattern.of, fold);
      return (search, at, next) =>
        of(search, at, end => {
          const before = search.groups.get(name);
          search.groups.set(name, search.text.slice(at, end));
          if (next(end)) return true;
          if (before === undefined) search.groups.delete(name);
          else search.groups.set(name, before);
          return false;
        });
    }
    case 'look':
      return look(compile(pattern.of, fold), pattern);
    case 'reference':
      return (search, at, next) => {
        // A reference to a group that took no part matches the empty string.
        const wanted = search.groups.get(pattern.to) ?? '';
        spend(search);
        return same(search.text.slice(at, at + wanted.length), wanted, fold) && next(at + wanted.length);
      };
    case 'repeat':
      return compileRepeat(pattern, fold);
  }
};

/** Yields the offsets, from `from` on, at which a pattern can begin to match. */
type Starts = (text: string, from: number) => Iterable<number>;

const everywhere: Starts = function* (text, from) {
  for (let at = from; at <= text.length; at += widthOf(text.codePointAt(at) ?? 0)) yield at;
};

/**
 * A pattern that begins with a repeated character is not tried within a run of that character, because the attempt at
 * the run's start covers it.
 */
const betweenRuns = (test: CharTest): Starts =>
  function* (text, from) {
    for (let at = from; at <= text.length;) {
      yield at;
      while (at < text.length && test(text.codePointAt(at)!)) at += widthOf(text.codePointAt(at)!);
      at += 1;
    }
  };

const startsOf = (pattern: Pattern): Starts => {
  const first = pattern.is === 'sequence' ? pattern.of[0] : pattern;
  if (first?.is === 'start')
    return function* (_text, from) {
      if (from === 0) yield 0;
    };
  const run = first?.is === 'repeat' && first.least === 0 && first.most === Infinity ? first.of : undefined;
  return run?.is === 'char' ? betweenRuns(run.test) : everywhere;
};

export type Searcher = (text: string, from: number) => Found | undefined;

/**
 * Creates a backtracking search with JavaScript's semantics and a limit on its attempts.
 * @throws CommandError 51156 after too many attempts
 */
export const createSearcher = (pattern: Pattern, ignoreCase: boolean): Searcher => {
  const matcher = compile(pattern, ignoreCase);
  const starts = startsOf(pattern);
  return (text, from) => {
    const search: Search = { text, groups: new Map(), left: maxSteps };
    let end = -1;
    const ended: Next = at => {
      end = at;
      return true;
    };
    try {
      for (const at of starts(text, from)) {
        spend(search);
        if (matcher(search, at, ended)) return { index: at, text: text.slice(at, end), groups: search.groups };
      }
    } catch (error) {
      // Nested calls, a few per iteration of a group, exhausted the stack.
      if (error instanceof RangeError) throw exceeded();
      throw error;
    } finally {
      took((maxSteps - search.left) >>> 1);
    }
    return undefined;
  };
};

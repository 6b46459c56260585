import { fail } from '../../errors.js';
import { spend as took } from '../../work/meter.js';
import type { Found, Searcher } from './match.js';
import { charRun, exceeded } from './match.js';
import type { Condition, Cut, PcreNode, PcrePattern } from './pcre-tree.js';

/** The number of attempts of one search. mongod's PCRE has a limit of the same kind. */
const maxSteps = 1_000_000;

/** A running call of a group. */
interface Running {
  readonly number: number;
  readonly at: number;
  readonly outer: Running | undefined;
}

/** One search in one text. */
interface Search {
  readonly text: string;
  /** The offset at which the search began. */
  readonly from: number;
  /** The start and the end of each group, or -1. */
  ends: number[];
  /** The offset that `\K` set, or -1. */
  keep: number;
  left: number;
  running: Running | undefined;
  /** The verb by which the attempt fails. */
  cut: Cut | undefined;
  /** Where the next attempt begins after `(*SKIP)`. */
  skipTo: number;
  /** Ends the match, the assertion or the call in which `(*ACCEPT)` occurs. */
  accept: Next;
}

type Next = (at: number) => boolean;
type Matcher = (search: Search, at: number, next: Next) => boolean;

const spend = (search: Search): void => {
  if (--search.left < 0) throw exceeded();
};

const widthOf = (point: number): number => (point > 0xffff ? 2 : 1);

const isAt = (text: string, at: number, test: (point: number) => boolean): boolean => {
  const point = text.codePointAt(at);
  return point !== undefined && test(point);
};

/** Returns the offset of the code point before the offset. */
const before = (text: string, at: number): number => {
  const unit = text.charCodeAt(at - 1);
  return at > 1 && unit >= 0xdc00 && unit <= 0xdfff ? at - 2 : at - 1;
};

const holdsAt = (is: string, { text, from }: Search, at: number): boolean => {
  switch (is) {
    case 'start':
      return at === 0;
    case 'end':
      return at === text.length;
    case 'line start':
      return at === 0 || (text[at - 1] === '\n' && at < text.length);
    case 'line end':
      return at === text.length || text[at] === '\n';
    case 'final newline':
      return at === text.length || (at === text.length - 1 && text[at] === '\n');
    default:
      return at === from;
  }
};

/** Runs a part on its own: its verbs have no effect outside, and `(*ACCEPT)` ends only the part. */
const alone = (search: Search, attempt: (ended: Next) => boolean): number | undefined => {
  const { accept } = search;
  let end: number | undefined;
  const ended: Next = at => {
    end = at;
    return true;
  };
  search.accept = ended;
  const found = attempt(ended);
  search.accept = accept;
  search.cut = undefined;
  return found ? end : undefined;
};

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** The length of the text in which the end of a grapheme cluster is looked for. */
const longestGrapheme = 64;

const foundBy = (search: Search, start: number, end: number): Found => {
  const { text, ends, keep } = search;
  const begin = keep === -1 ? start : keep;
  const groups = new Map<string, string>();
  for (let number = 1; 2 * number < ends.length; number++)
    if (ends[2 * number] !== -1) groups.set(`g${number}`, text.slice(ends[2 * number], ends[2 * number + 1]));
  return { index: begin, text: text.slice(begin, Math.max(begin, end)), groups };
};

class Compiler {
  readonly #pattern: PcrePattern;
  readonly #calls = new Map<number, Matcher>();

  constructor(pattern: PcrePattern) {
    this.#pattern = pattern;
  }

  compile(node: PcreNode): Matcher {
    switch (node.is) {
      case 'char': {
        const { test } = node;
        return (search, at, next) => {
          spend(search);
          const point = search.text.codePointAt(at);
          return point !== undefined && test(point) && next(at + widthOf(point));
        };
      }
      case 'boundary':
        return ({ text }, at, next) =>
          ((at > 0 && isAt(text, before(text, at), node.word)) === isAt(text, at, node.word)) === node.negated &&
          next(at);
      case 'sequence':
        return this.#sequence(node.of);
      case 'choice':
        return this.#choice(node.of);
      case 'capture':
        return this.#capture(node.number, this.compile(node.of));
      case 'atomic':
        return this.#atomic(this.compile(node.of));
      case 'look':
        return this.#look(node);
      case 'reference':
        return this.#reference(node);
      case 'call':
        return this.#call(node.number);
      case 'condition':
        return this.#condition(node);
      case 'repeat':
        return this.#repeat(node);
      case 'keep':
        return (search, at, next) => {
          const { keep } = search;
          search.keep = at;
          if (next(at)) return true;
          search.keep = keep;
          return false;
        };
      case 'grapheme':
        return ({ text }, at, next) => {
          if (at >= text.length) return false;
          const [first] = graphemes.segment(text.slice(at, at + longestGrapheme));
          return next(at + first!.segment.length);
        };
      case 'accept':
        return (search, at) => search.accept(at);
      case 'fail':
        return () => false;
      case 'cut':
        return (search, at, next) => {
          if (next(at)) return true;
          search.cut ??= node.cut;
          if (node.cut === 'skip') search.skipTo = at;
          return false;
        };
      default:
        return (search, at, next) => holdsAt(node.is, search, at) && next(at);
    }
  }

  #sequence(of: readonly PcreNode[]): Matcher {
    const parts = of.map(part => this.compile(part));
    const from =
      (i: number): Matcher =>
      (search, at, next) =>
        i === parts.length ? next(at) : parts[i]!(search, at, end => rest[i]!(search, end, next));
    const rest = parts.map((_, i) => from(i + 1));
    return from(0);
  }

  #choice(of: readonly PcreNode[]): Matcher {
    const parts = of.map(part => this.compile(part));
    return (search, at, next) => {
      for (const part of parts) {
        spend(search);
        if (part(search, at, next)) return true;
        if (search.cut === 'then') search.cut = undefined;
        else if (search.cut !== undefined) return false;
      }
      return false;
    };
  }

  #capture(number: number, of: Matcher): Matcher {
    return (search, at, next) =>
      of(search, at, end => {
        const [start, stop] = [search.ends[2 * number]!, search.ends[2 * number + 1]!];
        search.ends[2 * number] = at;
        search.ends[2 * number + 1] = end;
        if (next(end)) return true;
        search.ends[2 * number] = start;
        search.ends[2 * number + 1] = stop;
        return false;
      });
  }

  #atomic(of: Matcher): Matcher {
    return (search, at, next) => {
      const ends = search.ends.slice();
      const { cut } = search;
      let end = -1;
      const ended: Next = stop => {
        end = stop;
        return true;
      };
      if (of(search, at, ended)) {
        search.cut = cut;
        if (next(end)) return true;
      }
      search.ends = ends;
      return false;
    };
  }

  #look({ behind, negated, of }: Extract<PcreNode, { is: 'look' }>): Matcher {
    const matcher = this.compile(of);
    const holds = (search: Search, at: number): boolean => {
      if (!behind) return alone(search, ended => matcher(search, at, ended)) !== undefined;
      for (let from = at; from >= 0; from--) {
        spend(search);
        if (alone(search, ended => matcher(search, from, end => end === at && ended(end))) !== undefined) return true;
      }
      return false;
    };
    return (search, at, next) => {
      const ends = search.ends.slice();
      if (holds(search, at) === negated) {
        search.ends = ends;
        return false;
      }
      if (negated) search.ends = ends.slice();
      if (next(at)) return true;
      search.ends = ends;
      return false;
    };
  }

  #reference({ numbers, fold }: Extract<PcreNode, { is: 'reference' }>): Matcher {
    return (search, at, next) => {
      spend(search);
      const number = numbers.find(one => search.ends[2 * one] !== -1);
      // A reference to a group that is not set never matches.
      if (number === undefined) return false;
      const wanted = search.text.slice(search.ends[2 * number], search.ends[2 * number + 1]);
      const found = search.text.slice(at, at + wanted.length);
      const same = fold ? found.toLowerCase() === wanted.toLowerCase() : found === wanted;
      return same && next(at + wanted.length);
    };
  }

  /** Groups that are set in a call have their earlier values after it. */
  #call(number: number): Matcher {
    const matcher = (): Matcher => {
      let found = this.#calls.get(number);
      if (found === undefined) {
        found = this.compile(number === 0 ? this.#pattern.root : this.#pattern.groups.get(number)!);
        this.#calls.set(number, found);
      }
      return found;
    };
    return (search, at, next) => {
      spend(search);
      for (let one = search.running; one?.at === at; one = one.outer) {
        if (one.number === number)
          throw fail(
            51156,
            'Error occurred while executing the regular expression. Result code: nested recursion at the same subject position',
          );
      }
      const { running, ends, accept } = search;
      search.ends = ends.slice();
      search.running = { number, at, outer: running };
      const ended: Next = end => {
        const inside = { running: search.running, ends: search.ends, accept: search.accept };
        Object.assign(search, { running, ends, accept });
        if (next(end)) return true;
        Object.assign(search, inside);
        return false;
      };
      search.accept = ended;
      const found = matcher()(search, at, ended);
      if (!found) Object.assign(search, { running, ends, accept });
      return found;
    };
  }

  #holds(condition: Condition): (search: Search, at: number) => boolean {
    switch (condition.is) {
      case 'group':
        return ({ ends }) => condition.numbers.some(number => ends[2 * number] !== -1);
      case 'recursion':
        return ({ running }) =>
          running !== undefined && (condition.numbers === undefined || condition.numbers.includes(running.number));
      case 'look': {
        const look = this.compile(condition.look);
        return (search, at) => look(search, at, () => true);
      }
      case 'never':
        return () => false;
    }
  }

  #condition({ if: condition, yes, no }: Extract<PcreNode, { is: 'condition' }>): Matcher {
    const holds = this.#holds(condition);
    const [then, otherwise] = [this.compile(yes), this.compile(no)];
    return (search, at, next) => (holds(search, at) ? then : otherwise)(search, at, next);
  }

  #repeat({ of, least, most, lazy }: Extract<PcreNode, { is: 'repeat' }>): Matcher {
    if (of.is === 'char' && !this.#pattern.cuts) return charRun(of.test, { least, most, lazy });
    const matcher = this.compile(of);
    return (search, start, next) => {
      const from = (count: number, at: number): boolean => {
        spend(search);
        const again = (): boolean =>
          count < most &&
          // An iteration that matches the empty string is the last one.
          matcher(search, at, end => (end === at && count >= least ? next(end) : from(count + 1, end)));
        if (count < least) return again();
        if (lazy ? next(at) : again()) return true;
        return search.cut === undefined && (lazy ? again() : next(at));
      };
      return from(0, start);
    };
  }
}

/**
 * Creates a backtracking search with PCRE's semantics and a limit on its attempts.
 * @throws CommandError 51156 after too many attempts
 */
export const createPcreSearcher = (pattern: PcrePattern): Searcher => {
  const matcher = new Compiler(pattern).compile(pattern.root);
  return (text, from) => {
    let end = -1;
    const ended: Next = at => {
      end = at;
      return true;
    };
    const ends: number[] = Array.from({ length: 2 * pattern.groupCount + 2 }, () => -1);
    const search: Search = {
      ...{ text, from, ends, keep: -1, left: maxSteps, running: undefined },
      ...{ cut: undefined, skipTo: -1, accept: ended },
    };
    try {
      for (let at = from; at <= text.length;) {
        spend(search);
        Object.assign(search, { ends: ends.slice(), keep: -1, cut: undefined, skipTo: -1, accept: ended });
        if (matcher(search, at, ended)) return foundBy(search, at, end);
        if (search.cut === 'commit') return undefined;
        at = search.skipTo > at ? search.skipTo : at + widthOf(text.codePointAt(at) ?? 0);
      }
      return undefined;
    } catch (error) {
      // Nested calls, a few per iteration of a group, exhausted the stack.
      if (error instanceof RangeError) throw exceeded();
      throw error;
    } finally {
      took((maxSteps - search.left) >>> 1);
    }
  };
};

import type { Sets } from '../pcre-class.js';
import { translateClass } from '../pcre-class.js';
import { classEscapes, escapeChar, readCodePoint, readProperty, unicodeEscapes } from '../pcre-escapes.js';
import type { PatternReader } from '../pcre-reader.js';
import { createReader } from '../pcre-reader.js';
import type { Condition, Cut, PcreNode, PcrePattern } from './pcre-tree.js';
import { createCharTest } from './syntax.js';

interface Modes {
  readonly fold: boolean;
  readonly multiline: boolean;
  readonly dotAll: boolean;
  readonly extended: boolean;
  readonly ungreedy: boolean;
  /** Whether groups without a name do not capture. */
  readonly plain: boolean;
}

const letters: Readonly<Record<string, keyof Modes>> = {
  i: 'fold',
  m: 'multiline',
  s: 'dotAll',
  x: 'extended',
  U: 'ungreedy',
  n: 'plain',
};

const empty: PcreNode = { is: 'sequence', of: [] };

const anchors: Readonly<Record<string, PcreNode>> = {
  A: { is: 'start' },
  z: { is: 'end' },
  Z: { is: 'final newline' },
  G: { is: 'search start' },
  K: { is: 'keep' },
  X: { is: 'grapheme' },
};

const verbs: Readonly<Record<string, PcreNode | undefined>> = {
  ACCEPT: { is: 'accept' },
  FAIL: { is: 'fail' },
  F: { is: 'fail' },
};

const cuts: Readonly<Record<string, Cut>> = { COMMIT: 'commit', PRUNE: 'prune', SKIP: 'skip', THEN: 'then' };

/** Sets the flags of `ims-x`, or of `^i`, which removes the others first. */
const changed = (modes: Modes, on: string, off: string, reset: boolean): Modes => {
  const result: Record<string, boolean> = { ...modes };
  if (reset) for (const name of ['fold', 'multiline', 'dotAll', 'extended', 'plain']) result[name] = false;
  for (const letter of on) if (letters[letter] !== undefined) result[letters[letter]] = true;
  for (const letter of off) if (letters[letter] !== undefined) result[letters[letter]] = false;
  return result as unknown as Modes;
};

const missing = (): Error => new Error('reference to non-existent subpattern');

class PcreParser {
  readonly #reader: PatternReader;
  readonly #sets: Sets;
  readonly #groups = new Map<number, PcreNode>();
  readonly #names = new Map<string, number[]>();
  /** Checks of references, which may precede their groups. */
  readonly #checks: (() => void)[] = [];
  #modes: Modes;
  #count = 0;
  #cuts = false;

  constructor(reader: PatternReader, modes: Modes, unicode: boolean) {
    this.#reader = reader;
    this.#modes = modes;
    this.#sets = { escapes: unicode ? unicodeEscapes : classEscapes, unicode };
  }

  all(): PcrePattern {
    const root = this.#choice();
    if (this.#reader.peek() !== undefined) throw new Error('unmatched closing parenthesis');
    for (const check of this.#checks) check();
    return { root, groupCount: this.#count, groups: this.#groups, cuts: this.#cuts };
  }

  /** Reads alternatives up to a closing parenthesis. Their flags end with them. */
  #choice(resets = false): PcreNode {
    const modes = this.#modes;
    const first = this.#count;
    let most = first;
    const of = [this.#sequence()];
    while (this.#reader.take('|')) {
      most = Math.max(most, this.#count);
      if (resets) this.#count = first;
      of.push(this.#sequence());
    }
    this.#count = Math.max(most, this.#count);
    this.#modes = modes;
    return of.length === 1 ? of[0]! : { is: 'choice', of };
  }

  #sequence(): PcreNode {
    const of: PcreNode[] = [];
    for (
      let next = this.#reader.peek();
      next !== undefined && next !== '|' && next !== ')';
      next = this.#reader.peek()
    ) {
      for (const node of this.#atoms()) of.push(node);
    }
    return of.length === 1 ? of[0]! : { is: 'sequence', of };
  }

  /** Reads atoms, of which the last one may be repeated. */
  #atoms(): readonly PcreNode[] {
    const char = this.#reader.next()!;
    if (this.#isSpace(char)) return [];
    const atoms = this.#atom(char);
    const last = atoms.at(-1);
    if (last === undefined) return [];
    let node = last;
    for (let repeated = this.#quantified(node); repeated !== undefined; repeated = this.#quantified(node))
      node = repeated;
    return [...atoms.slice(0, -1), node];
  }

  #isSpace(char: string): boolean {
    if (!this.#modes.extended) return false;
    if (char === '#') this.#reader.match(/^[^\n]*\n?/);
    return char === '#' || /[\t\n\v\f\r ]/.test(char);
  }

  #skipSpaces(): void {
    while (
      this.#reader.match(/^\(\?#[^)]*\)/) !== undefined ||
      this.#reader.match(this.#modes.extended ? /^(?:[\t\n\v\f\r ]|#[^\n]*\n?)/ : /^(?!)/) !== undefined
    );
  }

  #quantified(of: PcreNode): PcreNode | undefined {
    this.#skipSpaces();
    const match = this.#reader.match(/^(?:([*+?])|\{(\d+)\}|\{(\d+),(\d*)\})([?+]?)/);
    if (match === undefined) return undefined;
    const [, sign, exact, from, to, suffix] = match;
    const least = Number(exact ?? from ?? (sign === '+' ? 1 : 0));
    const bounded = exact ?? (to === '' ? undefined : to) ?? (sign === '?' ? '1' : undefined);
    const most = bounded === undefined ? Infinity : Number(bounded);
    if (least > 65_535 || (most !== Infinity && most > 65_535)) throw new Error('number too big in {} quantifier');
    if (most < least) throw new Error('numbers out of order in {} quantifier');
    const repeat: PcreNode = { is: 'repeat', least, most, lazy: (suffix === '?') !== this.#modes.ungreedy, of };
    return suffix === '+' ? { is: 'atomic', of: { ...repeat, lazy: false } } : repeat;
  }

  #char(source: string): PcreNode {
    return { is: 'char', test: createCharTest(source, this.#modes.fold ? 'iv' : 'v') };
  }

  #atom(char: string): readonly PcreNode[] {
    switch (char) {
      case '\\':
        return this.#escape();
      case '[': {
        const source = translateClass(this.#reader, this.#sets);
        return [this.#char(source)];
      }
      case '(':
        return this.#group();
      case '.':
        return [this.#char(this.#modes.dotAll ? '[\\s\\S]' : '[^\\n]')];
      case '^':
        return [{ is: this.#modes.multiline ? 'line start' : 'start' }];
      case '$':
        return [{ is: this.#modes.multiline ? 'line end' : 'final newline' }];
      case '*':
      case '+':
      case '?':
        throw new Error('quantifier does not follow a repeatable item');
      default:
        return [this.#char(escapeChar(char))];
    }
  }

  #escape(): readonly PcreNode[] {
    const reader = this.#reader;
    const letter = reader.next();
    if (letter === undefined) throw new Error('\\ at end of pattern');
    const anchor = anchors[letter];
    if (anchor !== undefined) return [anchor];
    const set = this.#sets.escapes[letter];
    if (set !== undefined) return [this.#char(set)];
    switch (letter) {
      case 'b':
      case 'B':
        return [{ is: 'boundary', negated: letter === 'B', word: createCharTest(this.#sets.escapes['w']!, 'v') }];
      case 'Q':
        return [...reader.until('\\E')].map(char => this.#char(escapeChar(char)));
      case 'E':
        return [];
      case 'R':
        return [this.#newline()];
      case 'N': {
        const code = reader.match(/^\{U\+([0-9a-fA-F]+)\}/);
        return [this.#char(code === undefined ? '[^\\n]' : `\\u{${code[1]!}}`)];
      }
      case 'p':
      case 'P':
        return [this.#char(readProperty(reader, letter))];
      case 'C':
        throw new Error('using \\C is disabled in this server');
      case 'k':
        return [this.#namedReference()];
      case 'g':
        return [this.#numberedReference()];
    }
    if (/[1-9]/.test(letter)) {
      const digits = letter + (reader.match(/^\d{1,2}/)?.[0] ?? '');
      if (Number(digits) < 10 || Number(digits) <= this.#count) return [this.#reference([Number(digits)])];
      reader.back(digits.length - 1);
    }
    return [this.#char(readCodePoint(reader, letter))];
  }

  #newline(): PcreNode {
    const pair: PcreNode = { is: 'sequence', of: [this.#char('\\r'), this.#char('\\n')] };
    const single = this.#char('[\\n\\v\\f\\r\\x85\\u2028\\u2029]');
    return { is: 'atomic', of: { is: 'choice', of: [pair, single] } };
  }

  #reference(numbers: readonly number[]): PcreNode {
    this.#checks.push(() => {
      if (numbers.some(number => number < 1 || number > this.#count)) throw missing();
    });
    return { is: 'reference', numbers, fold: this.#modes.fold };
  }

  /** Returns the numbers of the groups of a name, which may follow. */
  #numbersOf(name: string): readonly number[] {
    const numbers = this.#names.get(name) ?? [];
    this.#names.set(name, numbers);
    this.#checks.push(() => {
      if (numbers.length === 0) throw missing();
    });
    return numbers;
  }

  #named(name: string): PcreNode {
    return { is: 'reference', numbers: this.#numbersOf(name), fold: this.#modes.fold };
  }

  #namedReference(): PcreNode {
    const match = this.#reader.match(/^(?:\{(\w+)\}|<(\w+)>|'(\w+)')/);
    if (match === undefined) throw new Error('\\k is not followed by a braced, angle-bracketed, or quoted name');
    return this.#named(match[1] ?? match[2] ?? match[3]!);
  }

  #numberedReference(): PcreNode {
    const called = this.#reader.match(/^(?:<([-+]?\d+|\w+)>|'([-+]?\d+|\w+)')/);
    if (called !== undefined) return this.#call(called[1] ?? called[2]!);
    const match = this.#reader.match(/^(?:\{([-+]?\d+)\}|([-+]?\d+)|\{(\w+)\})/);
    if (match === undefined) throw new Error('a numbered reference must not be zero');
    return match[3] === undefined ? this.#reference([this.#absolute(match[1] ?? match[2]!)]) : this.#named(match[3]);
  }

  #absolute(text: string): number {
    const number = Number(text);
    if (text.startsWith('-')) return this.#count + 1 + number;
    return text.startsWith('+') ? this.#count + number : number;
  }

  /** Returns a call of a group by its number or name. */
  #call(text: string): PcreNode {
    if (/^[-+]?\d+$/.test(text)) {
      const number = this.#absolute(text);
      this.#checks.push(() => {
        if (number < 0 || number > this.#count) throw missing();
      });
      return { is: 'call', number };
    }
    const numbers = this.#numbersOf(text);
    return {
      is: 'call',
      get number() {
        return numbers[0]!;
      },
    };
  }

  #close(): void {
    if (!this.#reader.take(')')) throw new Error('missing closing parenthesis');
  }

  #inside(resets = false): PcreNode {
    const of = this.#choice(resets);
    this.#close();
    return of;
  }

  #capture(name?: string): PcreNode {
    this.#count += 1;
    const number = this.#count;
    if (name !== undefined) {
      const numbers = this.#names.get(name) ?? [];
      if (!numbers.includes(number)) numbers.push(number);
      this.#names.set(name, numbers);
    }
    const node: PcreNode = { is: 'capture', number, of: this.#inside() };
    if (!this.#groups.has(number)) this.#groups.set(number, node);
    return node;
  }

  #group(): readonly PcreNode[] {
    const reader = this.#reader;
    if (reader.peek() === '*') return [this.#verb()];
    if (!reader.take('?')) return [this.#modes.plain ? this.#inside() : this.#capture()];
    const look = reader.match(/^<?[=!]/)?.[0];
    if (look !== undefined)
      return [{ is: 'look', behind: look.startsWith('<'), negated: look.endsWith('!'), of: this.#inside() }];
    if (reader.take(':')) return [this.#inside()];
    if (reader.take('>')) return [{ is: 'atomic', of: this.#inside() }];
    if (reader.take('|')) return [this.#inside(true)];
    if (reader.match(/^#[^)]*\)/) !== undefined || reader.match(/^C\d*\)/) !== undefined) return [];
    if (reader.take('(')) return [this.#conditional()];
    const named = reader.match(/^(?:P?<([A-Za-z_]\w*)>|'([A-Za-z_]\w*)')/);
    if (named !== undefined) return [this.#capture(named[1] ?? named[2])];
    const back = reader.match(/^P=(\w+)\)/);
    if (back !== undefined) return [this.#named(back[1]!)];
    const called = reader.match(/^(?:(R)|([-+]?\d+)|(?:P>|&)(\w+))\)/);
    if (called !== undefined) return [this.#call(called[1] === undefined ? (called[2] ?? called[3]!) : '0')];
    return this.#flags();
  }

  #flags(): readonly PcreNode[] {
    const match = this.#reader.match(/^(\^?)([imsxnUJ]*)(?:-([imsxnUJ]*))?([:)])/);
    if (match === undefined) throw new Error('unrecognized character after (? or (?-');
    const [, reset, on, off = '', end] = match;
    const outer = this.#modes;
    this.#modes = changed(outer, on!, off, reset === '^');
    // Flags without a colon are valid up to the end of the group.
    if (end === ')') return [];
    const of = this.#inside();
    this.#modes = outer;
    return [of];
  }

  #verb(): PcreNode {
    const match = this.#reader.match(/^\*([A-Z]*)(?::([^)]*))?\)/);
    if (match?.[1] === 'MARK' || match?.[1] === '') return empty;
    const verb = verbs[match?.[1] ?? ''];
    if (verb !== undefined) return verb;
    const cut = cuts[match?.[1] ?? ''];
    if (cut === undefined) throw new Error('(*VERB) not recognized or malformed');
    if (cut === 'skip' && match![2] !== undefined)
      throw new Error('(*SKIP) with a name is only supported at the start of a pattern by this server');
    this.#cuts = true;
    return { is: 'cut', cut };
  }

  #conditional(): PcreNode {
    const condition = this.#condition();
    const of = this.#inside();
    const branches = of.is === 'choice' ? of.of : [of];
    if (branches.length > 2) throw new Error('conditional subpattern contains more than two branches');
    return { is: 'condition', if: condition, yes: branches[0]!, no: branches[1] ?? empty };
  }

  /** Reads a condition after its parenthesis. */
  #condition(): Condition {
    const reader = this.#reader;
    const look = reader.match(/^\?<?[=!]/)?.[0];
    if (look !== undefined) {
      const [behind, negated] = [look.includes('<'), look.endsWith('!')];
      return { is: 'look', look: { is: 'look', behind, negated, of: this.#inside() } };
    }
    if (reader.take('DEFINE)')) return { is: 'never' };
    const recursion = reader.match(/^R(?:(\d+)|&(\w+))?\)/);
    if (recursion !== undefined && !this.#names.has('R')) {
      const [, number, name] = recursion;
      if (name !== undefined) return { is: 'recursion', numbers: this.#numbersOf(name) };
      return { is: 'recursion', numbers: number === undefined ? undefined : [Number(number)] };
    }
    const match = reader.match(/^(?:([-+]?\d+)|<(\w+)>|'(\w+)'|(\w+))\)/);
    if (match === undefined) throw new Error('malformed number or name after (?(');
    const name = match[2] ?? match[3] ?? match[4];
    if (name !== undefined) return { is: 'group', numbers: this.#numbersOf(name) };
    const number = this.#absolute(match[1]!);
    this.#checks.push(() => {
      if (number < 1 || number > this.#count) throw missing();
    });
    return { is: 'group', numbers: [number] };
  }
}

/** The verbs at the start of a pattern that have no effect here, and `(*UCP)`. */
const leadingVerbs = /^\(\*(?:UTF8?|UCP|NO_START_OPT|NO_AUTO_POSSESS|NO_JIT|NO_DOTSTAR_ANCHOR|LF|LIMIT_\w+=\d+)\)/;

/**
 * Parses a PCRE pattern.
 * @throws Error with a message that says what is malformed or unsupported
 */
export const parsePcre = (pattern: string, options: string): PcrePattern => {
  let rest = pattern;
  let unicode = false;
  for (let verb = leadingVerbs.exec(rest); verb !== null; verb = leadingVerbs.exec(rest)) {
    unicode ||= verb[0] === '(*UCP)';
    rest = rest.slice(verb[0].length);
  }
  const none: Modes = {
    ...{ fold: false, multiline: false, dotAll: false },
    ...{ extended: false, ungreedy: false, plain: false },
  };
  return new PcreParser(createReader(rest), changed(none, options.replace('u', ''), '', false), unicode).all();
};

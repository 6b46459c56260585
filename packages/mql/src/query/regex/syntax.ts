/** Returns whether an atom matches a code point. */
export type CharTest = (point: number) => boolean;

/** The syntax tree of a pattern that {@link translatePattern} wrote. */
export type Pattern =
  | { readonly is: 'char'; readonly test: CharTest }
  | { readonly is: 'start' | 'end' }
  | { readonly is: 'boundary'; readonly negated: boolean }
  | { readonly is: 'sequence'; readonly of: readonly Pattern[] }
  | { readonly is: 'choice'; readonly of: readonly Pattern[] }
  | { readonly is: 'group'; readonly name: string; readonly of: Pattern; readonly groups: readonly string[] }
  | { readonly is: 'look'; readonly behind: boolean; readonly negated: boolean; readonly of: Pattern }
  | { readonly is: 'reference'; readonly to: string }
  | {
      readonly is: 'repeat';
      readonly least: number;
      readonly most: number;
      readonly lazy: boolean;
      readonly of: Pattern;
      /** The groups inside, which each iteration clears. */
      readonly groups: readonly string[];
    };

/** The results are cached, because an atom is tested with the same characters many times. */
export const createCharTest = (source: string, flags: string): CharTest => {
  let regex: RegExp | undefined;
  const known = new Map<number, boolean>();
  return point => {
    let answer = known.get(point);
    if (answer === undefined) {
      regex ??= new RegExp(`^(?:${source})$`, flags);
      answer = regex.test(String.fromCodePoint(point));
      known.set(point, answer);
    }
    return answer;
  };
};

const openings: readonly (readonly [text: string, behind: boolean, negated: boolean])[] = [
  ['(?=', false, false],
  ['(?!', false, true],
  ['(?<=', true, false],
  ['(?<!', true, true],
];

class Parser {
  readonly #source: string;
  readonly #flags: string;
  #at = 0;

  constructor(source: string, flags: string) {
    this.#source = source;
    this.#flags = flags;
  }

  all(): Pattern {
    return this.#choice([]);
  }

  #take(text: string): boolean {
    const found = this.#source.startsWith(text, this.#at);
    if (found) this.#at += text.length;
    return found;
  }

  #match(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.#at;
    const match = expression.exec(this.#source);
    if (match !== null) this.#at += match[0].length;
    return match;
  }

  get #ended(): boolean {
    return this.#at >= this.#source.length || this.#source[this.#at] === ')';
  }

  #choice(groups: string[]): Pattern {
    const of = [this.#sequence(groups)];
    while (this.#take('|')) of.push(this.#sequence(groups));
    return of.length === 1 ? of[0]! : { is: 'choice', of };
  }

  #sequence(groups: string[]): Pattern {
    const of: Pattern[] = [];
    while (!this.#ended && this.#source[this.#at] !== '|') of.push(this.#repeated(groups));
    return of.length === 1 ? of[0]! : { is: 'sequence', of };
  }

  #repeated(outer: string[]): Pattern {
    const groups: string[] = [];
    const of = this.#atom(groups);
    outer.push(...groups);
    const match = this.#match(/([*+?]|\{(\d+)(,?)(\d*)\})(\??)/y);
    if (match === null) return of;
    const [, sign, from, comma, to, lazy] = match;
    const least = from === undefined ? (sign === '+' ? 1 : 0) : Number(from);
    const bounded = from === undefined ? (sign === '?' ? 1 : Infinity) : comma === '' ? least : Infinity;
    return { is: 'repeat', least, most: to ? Number(to) : bounded, lazy: lazy === '?', of, groups };
  }

  #inside(groups: string[]): Pattern {
    const of = this.#choice(groups);
    this.#take(')');
    return of;
  }

  #atom(groups: string[]): Pattern {
    for (const [text, behind, negated] of openings)
      if (this.#take(text)) return { is: 'look', behind, negated, of: this.#inside(groups) };
    if (this.#take('(?:')) return this.#inside(groups);
    const named = this.#match(/\(\?<(\w+)>/y);
    if (named !== null) {
      const name = named[1]!;
      const inner: string[] = [];
      const of = this.#inside(inner);
      groups.push(name, ...inner);
      return { is: 'group', name, of, groups: inner };
    }
    const reference = this.#match(/\\k<(\w+)>/y);
    if (reference !== null) return { is: 'reference', to: reference[1]! };
    if (this.#take('^')) return { is: 'start' };
    if (this.#take('$')) return { is: 'end' };
    if (this.#take('\\b')) return { is: 'boundary', negated: false };
    if (this.#take('\\B')) return { is: 'boundary', negated: true };
    return { is: 'char', test: createCharTest(this.#char(), this.#flags) };
  }

  /** Reads the text of an atom that matches one character. */
  #char(): string {
    const begin = this.#at;
    if (this.#source[begin] !== '[') return this.#match(/\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\x..|\\.|[^]/uy)![0];
    let depth = 0;
    do {
      const char = this.#match(/\\[^]|[^]/uy)![0];
      if (char === '[') depth += 1;
      else if (char === ']') depth -= 1;
    } while (depth > 0);
    return this.#source.slice(begin, this.#at);
  }
}

/** Parses a pattern that JavaScript has accepted. */
export const parsePattern = (source: string, flags: string): Pattern => new Parser(source, flags).all();

import type { Pattern } from './automaton.js';

const any: Pattern = { kind: 'char', test: () => true };
const anyText: Pattern = { kind: 'repeat', part: any, min: 0, max: Number.POSITIVE_INFINITY };

const literal = (char: string): Pattern => ({ kind: 'char', test: other => other === char });

/** Parses a wildcard: `?` is any character, `*` any text, and a backslash quotes the next character. */
export const parseWildcard = (text: string): Pattern => {
  const parts: Pattern[] = [];
  const chars = [...text];
  for (let i = 0; i < chars.length; i++) {
    const char = chars[i]!;
    if (char === '\\' && i + 1 < chars.length) parts.push(literal(chars[++i]!));
    else parts.push(char === '*' ? anyText : char === '?' ? any : literal(char));
  }
  return { kind: 'sequence', parts };
};

const classes: Readonly<Record<string, RegExp>> = {
  d: /^[0-9]$/,
  D: /^[^0-9]$/u,
  s: /^[ \t\n\r]$/,
  S: /^[^ \t\n\r]$/u,
  w: /^[a-zA-Z0-9_]$/,
  W: /^[^a-zA-Z0-9_]$/u,
};

const mostRepetitions = 1000;

/** Reads Lucene's regular expressions, which match whole terms. `^` and `$` are ordinary characters. */
class Reader {
  readonly #chars: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#chars = [...text];
  }

  get #char(): string | undefined {
    return this.#chars[this.#at];
  }

  #take(char: string): boolean {
    if (this.#char !== char) return false;
    this.#at++;
    return true;
  }

  #next(): string {
    const char = this.#char;
    if (char === undefined) throw new SyntaxError('The pattern ends unexpectedly.');
    this.#at++;
    return char;
  }

  whole(): Pattern {
    const pattern = this.#choice();
    if (this.#char !== undefined)
      throw new SyntaxError(`The pattern has an unexpected "${this.#char}" at character ${this.#at}.`);
    return pattern;
  }

  #choice(): Pattern {
    const options = [this.#sequence()];
    while (this.#take('|')) options.push(this.#sequence());
    return options.length === 1 ? options[0]! : { kind: 'choice', options };
  }

  #sequence(): Pattern {
    const parts: Pattern[] = [];
    while (this.#char !== undefined && this.#char !== '|' && this.#char !== ')') parts.push(this.#repeated());
    return { kind: 'sequence', parts };
  }

  #repeated(): Pattern {
    let part = this.#single();
    for (;;) {
      if (this.#take('?')) part = { kind: 'repeat', part, min: 0, max: 1 };
      else if (this.#take('*')) part = { kind: 'repeat', part, min: 0, max: Number.POSITIVE_INFINITY };
      else if (this.#take('+')) part = { kind: 'repeat', part, min: 1, max: Number.POSITIVE_INFINITY };
      else if (this.#take('{')) part = { kind: 'repeat', part, ...this.#counts() };
      else return part;
    }
  }

  #number(): number | undefined {
    let digits = '';
    while (this.#char !== undefined && /\d/.test(this.#char)) digits += this.#next();
    const number = digits === '' ? undefined : Number(digits);
    if (number !== undefined && number > mostRepetitions)
      throw new SyntaxError(`A part of the pattern repeats more than ${mostRepetitions} times.`);
    return number;
  }

  #counts(): { readonly min: number; readonly max: number } {
    const min = this.#number();
    if (min === undefined) throw new SyntaxError('The pattern has a "{" without a number.');
    const max = this.#take(',') ? (this.#number() ?? Number.POSITIVE_INFINITY) : min;
    if (!this.#take('}') || max < min) throw new SyntaxError('The pattern has an invalid number of repetitions.');
    return { min, max };
  }

  #single(): Pattern {
    const char = this.#next();
    switch (char) {
      case '.':
        return any;
      case '@':
        return anyText;
      case '#':
        return { kind: 'choice', options: [] };
      case '(': {
        const pattern = this.#take(')') ? ({ kind: 'empty' } as const) : this.#choice();
        if (pattern.kind !== 'empty' && !this.#take(')')) throw new SyntaxError('The pattern has a "(" without a ")".');
        return pattern;
      }
      case '[':
        return this.#set();
      case '"':
        return this.#quoted();
      case '\\':
        return this.#escaped();
      case '~':
      case '&':
      case '<':
        throw new SyntaxError(
          `The pattern has the operator "${char}", which is not supported. Quote the character as "\\${char}".`,
        );
      case '*':
      case '+':
      case '?':
      case '{':
        throw new SyntaxError(`The pattern has a "${char}" that repeats nothing.`);
      default:
        return literal(char);
    }
  }

  #escaped(): Pattern {
    const char = this.#next();
    const pattern = classes[char];
    return pattern === undefined ? literal(char) : { kind: 'char', test: other => pattern.test(other) };
  }

  #quoted(): Pattern {
    const parts: Pattern[] = [];
    while (!this.#take('"')) parts.push(literal(this.#next()));
    return { kind: 'sequence', parts };
  }

  #set(): Pattern {
    const isNegated = this.#take('^');
    const tests: ((char: string) => boolean)[] = [];
    while (!this.#take(']')) {
      const isEscaped = this.#take('\\');
      const from = this.#next();
      const known = isEscaped ? classes[from] : undefined;
      if (known !== undefined) {
        tests.push(char => known.test(char));
        continue;
      }
      let to = from;
      if (this.#char === '-' && this.#chars[this.#at + 1] !== ']') {
        this.#at++;
        this.#take('\\');
        to = this.#next();
      }
      const [first, last] = [from.codePointAt(0)!, to.codePointAt(0)!];
      tests.push(char => char.codePointAt(0)! >= first && char.codePointAt(0)! <= last);
    }
    return { kind: 'char', test: char => tests.some(test => test(char)) !== isNegated };
  }
}

/** Parses a regular expression of Lucene. @throws SyntaxError */
export const parseRegex = (text: string): Pattern => new Reader(text).whole();

import { MongoError } from '@tessera/contracts';

/** Returns the error for invalid text. `at` is the position of the character, counted from 0. */
export const refusal = (at: number, problem: string): MongoError =>
  new MongoError('usage', `Invalid Extended JSON: ${problem} at character ${String(at)}.`);

const numberForm = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?/y;
const spaceForm = /[ \t\n\r]*/y;
const plainForm = /[^"\\\u0000-\u001f]*/y;
const hexForm = /[0-9a-fA-F]{4}/y;

const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/** Reads the tokens of a JSON text from left to right. Rule: RFC 8259. */
export class Scanner {
  private readonly text: string;
  /** The offset of the next character. */
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  private match(form: RegExp): string {
    form.lastIndex = this.at;
    const found = form.exec(this.text)?.[0] ?? '';
    this.at += found.length;
    return found;
  }

  /** Skips white space and returns the next character; empty at the end. */
  peek(): string {
    this.match(spaceForm);
    return this.text.charAt(this.at);
  }

  /** Consumes this character if it is the next one. */
  take(character: string): boolean {
    if (this.peek() !== character) return false;
    this.at++;
    return true;
  }

  expect(character: string): void {
    if (!this.take(character)) throw this.unexpected(`"${character}"`);
  }

  unexpected(wanted: string): MongoError {
    const found = this.peek();
    return refusal(this.at, `${found === '' ? 'the end of the text' : JSON.stringify(found)} instead of ${wanted}`);
  }

  /** Consumes a word such as `true` if it comes next. */
  word(word: string): boolean {
    this.peek();
    if (!this.text.startsWith(word, this.at)) return false;
    this.at += word.length;
    return true;
  }

  /** Consumes a number and returns its text; empty if there is none. */
  number(): string {
    this.peek();
    return this.match(numberForm);
  }

  string(): string {
    this.expect('"');
    let value = '';
    for (;;) {
      value += this.match(plainForm);
      const start = this.at;
      const next = this.text.charAt(this.at++);
      if (next === '"') return value;
      if (next !== '\\')
        throw refusal(start, next === '' ? 'an unterminated string' : 'a control character in a string');
      const escape = this.text.charAt(this.at++);
      if (escape === 'u') {
        const hex = this.match(hexForm);
        if (hex === '') throw refusal(start, 'an escape without four hexadecimal digits');
        value += String.fromCharCode(parseInt(hex, 16));
      } else {
        const character = Object.hasOwn(escapes, escape) ? escapes[escape] : undefined;
        if (character === undefined) throw refusal(start, 'an unknown escape');
        value += character;
      }
    }
  }
}

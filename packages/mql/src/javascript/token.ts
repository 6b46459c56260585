import { fail } from '../errors.js';
import { failure, unsupported } from './failure.js';

/** A token and its position. */
export interface Token {
  readonly kind: 'name' | 'number' | 'string' | 'mark' | 'end';
  /** The source text; for a string its value. */
  readonly text: string;
  readonly at: number;
  /** Whether a line break precedes it. */
  readonly isFirst: boolean;
}

/** Formats a position as `line 1, column 15`. */
export const placeOf = (code: string, at: number): string => {
  const before = code.slice(0, at).split('\n');
  return `line ${before.length}, column ${before.at(-1)!.length + 1}`;
};

export const syntaxError = (code: string, at: number, what: string): Error =>
  fail('JSInterpreterFailure', `SyntaxError: ${what} (${placeOf(code, at)})`);

const space = /(?:\s|\/\/[^\n\r\u2028\u2029]*|\/\*[^]*?\*\/)+/y;
const name = /[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/uy;
const number = /(?:0[xX][\da-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)/y;
const string = /"(?:[^"\\\n\r]|\\[^])*"|'(?:[^'\\\n\r]|\\[^])*'/y;
const mark =
  /\.\.\.|>>>=|===|!==|\*\*=|<<=|>>=|>>>|&&=|\|\|=|\?\?=|=>|==|!=|<=|>=|&&|\|\||\?\?|\?\.(?!\d)|\+\+|--|\+=|-=|\*=|\/=|%=|&=|\|=|\^=|\*\*|<<|>>|[{}()[\];,<>+\-*/%&|^!~?:=.]/y;

const kinds = [
  ['name', name],
  ['number', number],
  ['string', string],
  ['mark', mark],
] as const;

const escape = /\\(?:u([\da-fA-F]{4})|u\{([\da-fA-F]{1,6})\}|x([\da-fA-F]{2})|(\r\n|[^]))/g;

const letters: Readonly<Record<string, string>> = {
  ...{ n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', v: '\v', 0: '\0' },
  ...{ '\n': '', '\r': '', '\r\n': '', '\u2028': '', '\u2029': '' },
};

const unescaped = (text: string): string =>
  text.replace(escape, (_all, four?: string, braced?: string, two?: string, one: string = '') => {
    const hex = four ?? braced ?? two;
    if (hex === undefined) return Object.hasOwn(letters, one) ? letters[one]! : one;
    return String.fromCodePoint(Math.min(Number.parseInt(hex, 16), 0x10ffff));
  });

const matchAt = (pattern: RegExp, code: string, at: number): string | undefined => {
  pattern.lastIndex = at;
  return pattern.exec(code)?.[0];
};

const tokenAt = (code: string, at: number, isFirst: boolean): { readonly token: Token; readonly next: number } => {
  for (const [kind, pattern] of kinds) {
    const text = matchAt(pattern, code, at);
    if (text === undefined) continue;
    const value = kind === 'string' ? unescaped(text.slice(1, -1)) : text;
    return { token: { kind, text: value, at, isFirst }, next: at + text.length };
  }
  const character = code.slice(at, at + 1);
  if (character === '`') throw unsupported(`A template (\`) at ${placeOf(code, at)}`);
  throw syntaxError(code, at, `illegal character or unterminated literal: ${character}`);
};

/** The maximum length of a script in UTF-16 code units. */
const longest = 256 * 1024;

/**
 * Splits a script into tokens. The last token marks the end.
 * @throws CommandError 139 for invalid tokens
 */
export const tokensOf = (code: string): readonly Token[] => {
  if (code.length > longest) throw failure('InternalError', `the script is longer than ${longest} characters`);
  const tokens: Token[] = [];
  for (let at = 0; ;) {
    const skipped = matchAt(space, code, at) ?? '';
    at += skipped.length;
    const isFirst = /[\n\r\u2028\u2029]/.test(skipped);
    if (at >= code.length) return [...tokens, { kind: 'end', text: 'end of the script', at, isFirst }];
    if (code.startsWith('/*', at)) throw syntaxError(code, at, 'unterminated comment');
    const { token, next } = tokenAt(code, at, isFirst);
    tokens.push(token);
    at = next;
  }
};

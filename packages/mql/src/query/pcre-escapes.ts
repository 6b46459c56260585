import type { PatternReader } from './pcre-reader.js';

const spaces = '\\t\\n\\v\\f\\r\\x20';
const horizontal = '\\t\\x20\\xa0\\u1680\\u180e\\u2000-\\u200a\\u202f\\u205f\\u3000';
const vertical = '\\n\\v\\f\\r\\x85\\u2028\\u2029';

/** Escapes for sets of characters, valid inside and outside classes. */
export const classEscapes: Readonly<Record<string, string>> = {
  d: '\\d',
  D: '\\D',
  w: '\\w',
  W: '\\W',
  s: `[${spaces}]`,
  S: `[^${spaces}]`,
  h: `[${horizontal}]`,
  H: `[^${horizontal}]`,
  v: `[${vertical}]`,
  V: `[^${vertical}]`,
};

const wordOfUnicode = '[\\p{L}\\p{N}_]';
const spaceOfUnicode = `[${horizontal}${vertical}]`;

/** The escapes of a pattern that begins with `(*UCP)`: digits, spaces and words of Unicode. */
export const unicodeEscapes: Readonly<Record<string, string>> = {
  ...classEscapes,
  d: '\\p{Nd}',
  D: '\\P{Nd}',
  w: wordOfUnicode,
  W: `[^${wordOfUnicode}]`,
  s: spaceOfUnicode,
  S: `[^${spaceOfUnicode}]`,
};

/** Assertions about the limits of words of Unicode. */
export const unicodeAssertions: Readonly<Record<string, string>> = {
  b: `(?:(?<=${wordOfUnicode})(?!${wordOfUnicode})|(?<!${wordOfUnicode})(?=${wordOfUnicode}))`,
  B: `(?:(?<=${wordOfUnicode})(?=${wordOfUnicode})|(?<!${wordOfUnicode})(?!${wordOfUnicode}))`,
};

/** Properties that only PCRE has, as the text inside a class. */
const ownProperties: Readonly<Record<string, string>> = {
  Any: '\\s\\S',
  Xan: '\\p{L}\\p{N}',
  Xwd: '\\p{L}\\p{N}_',
  Xsp: horizontal + vertical,
  Xps: horizontal + vertical,
};

/** Escapes a literal character for use inside and outside classes. */
export const escapeChar = (char: string): string =>
  /^[A-Za-z0-9_]$/.test(char) || char.codePointAt(0)! > 0x7f ? char : ofCode(char.codePointAt(0)!);

const ofCode = (code: number): string => `\\u{${code.toString(16)}}`;

const controls: Readonly<Record<string, number>> = { a: 7, e: 27, f: 12, n: 10, r: 13, t: 9 };

/**
 * Reads the rest of an escape for one character, after its letter.
 * @throws Error if there is no such escape
 */
export const readCodePoint = (reader: PatternReader, letter: string): string => {
  const control = controls[letter];
  if (control !== undefined) return ofCode(control);
  if (letter === 'x') {
    const match = reader.match(/^(?:\{([0-9a-fA-F]+)\}|([0-9a-fA-F]{0,2}))/)!;
    return ofCode(Number.parseInt(match[1] ?? `0${match[2]!}`, 16));
  }
  if (letter === 'o') {
    const match = reader.match(/^\{([0-7]+)\}/);
    if (match === undefined) throw new Error('missing opening brace after \\o');
    return ofCode(Number.parseInt(match[1]!, 8));
  }
  if (letter === 'c') return ofCode((reader.next() ?? '@').toUpperCase().charCodeAt(0) ^ 64);
  if (/[0-7]/.test(letter)) return ofCode(Number.parseInt(letter + reader.match(/^[0-7]{0,2}/)![0], 8));
  if (/[A-Za-z89]/.test(letter)) throw new Error('unrecognized character follows \\');
  return escapeChar(letter);
};

/** Translates `\p{Lu}`, `\pL` and `\p{^Greek}`: general categories and scripts. */
export const readProperty = (reader: PatternReader, letter: string): string => {
  const match = reader.match(/^(?:\{(\^?)([A-Za-z_&]+)\}|([A-Z]))/);
  if (match === undefined) throw new Error('malformed \\P or \\p sequence');
  const name = match[2] ?? match[3]!;
  const negated = (letter === 'P') !== (match[1] === '^');
  const own = ownProperties[name];
  if (own !== undefined) return `[${negated ? '^' : ''}${own}]`;
  const property = name === 'L&' ? 'LC' : name.length <= 2 ? name : `Script=${name}`;
  return `\\${negated ? 'P' : 'p'}{${property}}`;
};

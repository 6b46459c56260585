import { escapeChar, readCodePoint, readProperty } from './pcre-escapes.js';
import type { PatternReader } from './pcre-reader.js';

/** POSIX class names, for ASCII, as the text inside a JavaScript class. */
const posix: Readonly<Record<string, string>> = {
  alnum: 'A-Za-z0-9',
  alpha: 'A-Za-z',
  ascii: '\\x00-\\x7f',
  blank: '\\t\\x20',
  cntrl: '\\x00-\\x1f\\x7f',
  digit: '0-9',
  graph: '\\x21-\\x7e',
  lower: 'a-z',
  print: '\\x20-\\x7e',
  punct: '\\x21-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7e',
  space: '\\t\\n\\v\\f\\r\\x20',
  upper: 'A-Z',
  word: 'A-Za-z0-9_',
  xdigit: '0-9A-Fa-f',
};

/** POSIX class names of a pattern that begins with `(*UCP)`. */
const posixOfUnicode: Readonly<Record<string, string>> = {
  ...posix,
  alnum: '\\p{L}\\p{N}',
  alpha: '\\p{L}',
  digit: '\\p{Nd}',
  lower: '\\p{Ll}',
  upper: '\\p{Lu}',
  word: '\\p{L}\\p{N}_',
};

/** The sets of characters that the escapes of a pattern stand for. */
export interface Sets {
  readonly escapes: Readonly<Record<string, string>>;
  readonly unicode: boolean;
}

/** A part of a class: a set of characters, or a single character that can begin or end a range. */
interface Item {
  readonly text: string;
  readonly single: boolean;
}

const readPosix = (reader: PatternReader, { unicode }: Sets): Item | undefined => {
  const match = reader.match(/^\[:(\^?)([a-z]+):\]/);
  if (match === undefined) return undefined;
  const set = (unicode ? posixOfUnicode : posix)[match[2]!];
  if (set === undefined) throw new Error('unknown POSIX class name');
  return { text: `[${match[1]}${set}]`, single: false };
};

const readEscape = (reader: PatternReader, { escapes }: Sets): Item => {
  const letter = reader.next();
  if (letter === undefined) throw new Error('\\ at end of pattern');
  const set = escapes[letter];
  if (set !== undefined) return { text: set, single: false };
  if (letter === 'p' || letter === 'P') return { text: readProperty(reader, letter), single: false };
  return { text: letter === 'b' ? '\\x08' : readCodePoint(reader, letter), single: true };
};

const readItem = (reader: PatternReader, sets: Sets): Item => {
  const set = readPosix(reader, sets);
  if (set !== undefined) return set;
  const char = reader.next();
  if (char === undefined) throw new Error('missing terminating ] for character class');
  return char === '\\' ? readEscape(reader, sets) : { text: escapeChar(char), single: true };
};

/** Returns whether the next character is a hyphen that forms a range. */
const isRange = (reader: PatternReader): boolean => reader.match(/^-(?!\])/) !== undefined;

/** Translates a class whose opening bracket has been read. */
export const translateClass = (reader: PatternReader, sets: Sets): string => {
  let text = reader.take('^') ? '[^' : '[';
  let first = true;
  while (first || !reader.take(']')) {
    first = false;
    const item = readItem(reader, sets);
    text += item.text;
    if (!item.single || !isRange(reader)) continue;
    const end = readItem(reader, sets);
    text += end.single ? `-${end.text}` : `\\-${end.text}`;
  }
  return `${text}]`;
};

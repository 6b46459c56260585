import { fail } from '../errors.js';
import type { Value } from '../value/value.js';
import { RegexValue, SymbolValue } from '../value/value.js';
import type { Test } from './condition.js';
import { translatePattern } from './pcre.js';
import type { Found } from './regex/match.js';
import { createPcreSearcher } from './regex/pcre-match.js';
import { parsePcre } from './regex/pcre-parse.js';
import { Regex } from './regex/regex.js';

/** A compiled regular expression, whose searches always terminate. */
export interface TextPattern {
  /** The number of capturing groups. Matches name them g1, g2, … */
  readonly groupCount: number;
  /** Returns whether the text matches. @throws CommandError 51156 if the search takes too long */
  test(text: string): boolean;
  /** Returns the first match that begins at the code unit or later. @throws CommandError 51156 as `test` */
  find(text: string, from?: number): Found | undefined;
}

/** PCRE does not compile longer patterns. */
const longest = 32764;

/** The size of the cache of compiled patterns. */
const limit = 512;
const compiled = new Map<string, TextPattern>();

/** Returns the pattern as JavaScript's engine matches it, or undefined if JavaScript has no equal pattern. */
const translated = (pattern: string, options: string): TextPattern | undefined => {
  try {
    const { source, flags, isExact, isExactInGroups } = translatePattern(pattern, options);
    if (!isExact) return undefined;
    const regex = new Regex(source, flags);
    if (isExactInGroups) return regex;
    const searcher = interpreted(pattern, options);
    return {
      groupCount: regex.groupCount,
      test: text => regex.test(text),
      find: (text, from) => searcher.find(text, from),
    };
  } catch {
    return undefined;
  }
};

/** Returns the pattern as this package matches it. */
const interpreted = (pattern: string, options: string): TextPattern => {
  const parsed = parsePcre(pattern, options);
  const search = createPcreSearcher(parsed);
  return {
    groupCount: parsed.groupCount,
    test: text => search(text, 0) !== undefined,
    find: (text, from = 0) => search(text, from),
  };
};

const compile = (pattern: string, options: string): TextPattern => {
  if (pattern.includes('\0')) throw fail(51109, 'Regular expression cannot contain an embedded null byte');
  if (options.includes('\0'))
    throw fail(51110, 'Regular expression options string cannot contain an embedded null byte');
  if (pattern.length > longest) throw fail(51091, 'Regular expression is invalid: regular expression is too large');
  for (const flag of options) {
    if (!'imsxu'.includes(flag)) throw fail(51108, `invalid flag in regex options: ${flag}`);
  }
  try {
    return translated(pattern, options) ?? interpreted(pattern, options);
  } catch (error) {
    throw fail(51091, `Regular expression is invalid: ${error instanceof Error ? error.message : String(error)}`);
  }
};

/**
 * Compiles a regular expression of MongoDB (PCRE) that always terminates. Options: i, m, s, x, u. JavaScript's engine
 * matches patterns that can be translated exactly.
 * @throws CommandError 51091, 51108, 51109, 51110
 */
export const compileRegex = (pattern: string, options = ''): TextPattern => {
  const key = `${options}/${pattern}`;
  let regex = compiled.get(key);
  if (regex === undefined) {
    regex = compile(pattern, options);
    if (compiled.size >= limit) compiled.delete(compiled.keys().next().value!);
    compiled.set(key, regex);
  }
  return regex;
};

/** Returns a test for strings that match a regular expression, and for equal regular expressions. */
export const regexTest = (wanted: RegexValue): Test => {
  const regex = compileRegex(wanted.pattern, wanted.options);
  return (value: Value | undefined): boolean => {
    if (typeof value === 'string') return regex.test(value);
    if (value instanceof RegexValue) return value.pattern === wanted.pattern && value.options === wanted.options;
    return value instanceof SymbolValue && regex.test(value.value);
  };
};

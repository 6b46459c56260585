import { fail } from '../errors.js';
import type { Value } from '../value/value.js';
import { RegexValue, SymbolValue } from '../value/value.js';
import type { Test } from './condition.js';
import { translatePattern } from './pcre.js';
import { Regex } from './regex/regex.js';

/** PCRE does not compile longer patterns. */
const longest = 32764;

/** The size of the cache of compiled patterns. */
const limit = 512;
const compiled = new Map<string, Regex>();

const compile = (pattern: string, options: string): Regex => {
  if (pattern.includes('\0')) throw fail(51109, 'Regular expression cannot contain an embedded null byte');
  if (options.includes('\0'))
    throw fail(51110, 'Regular expression options string cannot contain an embedded null byte');
  if (pattern.length > longest) throw fail(51091, 'Regular expression is invalid: regular expression is too large');
  for (const flag of options) {
    if (!'imsxu'.includes(flag)) throw fail(51108, `invalid flag in regex options: ${flag}`);
  }
  try {
    const { source, flags } = translatePattern(pattern, options);
    return new Regex(source, flags);
  } catch (error) {
    throw fail(51091, `Regular expression is invalid: ${error instanceof Error ? error.message : String(error)}`);
  }
};

/**
 * Compiles a regular expression of MongoDB (PCRE) that always terminates. Options: i, m, s, x, u. Features that
 * JavaScript does not support (recursion, conditions, `\\K`, verbs within a pattern, case-insensitive parts) are rejected.
 * @throws CommandError 51091, 51108, 51109, 51110
 */
export const compileRegex = (pattern: string, options = ''): Regex => {
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

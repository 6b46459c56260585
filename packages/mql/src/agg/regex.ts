import { CommandError, fail } from '../errors.js';
import type { TextPattern } from '../query/regex.js';
import { compileRegex } from '../query/regex.js';
import type { Found } from '../query/regex/match.js';
import { Doc } from '../value/doc.js';
import type { Value } from '../value/value.js';
import { isNullish, RegexValue, typeName } from '../value/value.js';
import type { Expression, Operator, Operators } from './expression.js';
import { namedOperands } from './operator.js';

type Maybe = Value | undefined;

interface Pattern {
  readonly source: string;
  readonly options: string;
}

const requireNoNull = (text: string, code: number, message: string): void => {
  if (text.includes('\0')) throw fail(code, `${message} cannot contain an embedded null byte`);
};

/**
 * Combines `regex` and `options`. Returns undefined if `regex` is null or missing.
 * @throws CommandError 51105 … 51110
 */
const patternOf = (regex: Maybe, options: Maybe, name: string): Pattern | undefined => {
  if (!isNullish(regex) && typeof regex !== 'string' && !(regex instanceof RegexValue)) {
    throw fail(51105, `${name} needs 'regex' to be of type string or regex`);
  }
  if (!isNullish(options) && typeof options !== 'string')
    throw fail(51106, `${name} needs 'options' to be of type string`);
  const own = regex instanceof RegexValue ? regex.options : '';
  if (own !== '' && typeof options === 'string') {
    throw fail(51107, `${name}: found regex option(s) specified in both 'regex' and 'option' fields`);
  }
  const letters = typeof options === 'string' ? options : own;
  requireNoNull(letters, 51110, `${name}: regular expression options`);
  if (isNullish(regex)) return undefined;
  const source = typeof regex === 'string' ? regex : regex.pattern;
  requireNoNull(source, 51109, `${name}: regular expression`);
  return { source, options: letters };
};

const compile = ({ source, options }: Pattern, name: string): TextPattern => {
  try {
    return compileRegex(source, options);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    if (error.code === 51108) throw fail(51108, `${name} ${error.message}`);
    throw fail(51111, `Invalid Regex in ${name}: ${error.message.replace('Regular expression is invalid: ', '')}`);
  }
};

/** Returns the number of code points before a string index. */
const pointsBefore = (text: string, index: number): number => {
  let points = 0;
  for (let i = 0; i < index; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0xdc00 || unit > 0xdfff) points++;
  }
  return points;
};

/** The translated pattern names its groups g1, g2, … */
const capturesOf = ({ groups }: Found, { groupCount }: TextPattern): readonly Value[] =>
  Array.from({ length: groupCount }, (_, i) => groups.get(`g${i + 1}`) ?? null);

const matchDoc = (found: Found, regex: TextPattern, input: string): Doc =>
  Doc.of([
    ['match', found.text],
    ['idx', pointsBefore(input, found.index)],
    ['captures', capturesOf(found, regex)],
  ]);

const findAll = (regex: TextPattern, text: string): readonly Value[] => {
  const all: Value[] = [];
  let from = 0;
  do {
    const found = regex.find(text, from);
    if (found === undefined) break;
    all.push(matchDoc(found, regex, text));
    from = found.index + found.text.length;
    if (found.text === '') from += (text.codePointAt(found.index) ?? 0) > 0xffff ? 2 : 1;
  } while (from < text.length);
  return all;
};

/** The result of an operator: `of` computes it, `nothing` is the result for an input or a pattern that is null. */
interface Outcome {
  readonly of: (regex: TextPattern, text: string) => Value;
  readonly nothing: Value;
}

const searching =
  ({ of, nothing }: Outcome): Operator =>
  (spec, parser, name) => {
    const named = namedOperands(spec, parser, {
      fields: ['input', 'regex', 'options'],
      notObject: found => fail(51103, `${name} expects an object of named arguments but found: ${typeName(found)}`),
      unknown: field => fail(31024, `${name} found an unknown argument: ${field}`),
    });
    const input = named.get('input');
    const regex = named.get('regex');
    const options = named.get('options');
    if (input === undefined) throw fail(31022, `${name} requires 'input' parameter`);
    if (regex === undefined) throw fail(31023, `${name} requires 'regex' parameter`);
    const operands: readonly Expression[] = [input, regex, ...(options === undefined ? [] : [options])];
    return parser.fold(operands, scope => {
      const text = input.evaluate(scope);
      if (!isNullish(text) && typeof text !== 'string') throw fail(51104, `${name} needs 'input' to be of type string`);
      const pattern = patternOf(regex.evaluate(scope), options?.evaluate(scope), name);
      if (pattern === undefined) return nothing;
      const compiled = compile(pattern, name);
      return isNullish(text) ? nothing : of(compiled, text);
    });
  };

const findFirst = (regex: TextPattern, text: string): Value => {
  const found = regex.find(text);
  return found === undefined ? null : matchDoc(found, regex, text);
};

export const regexOperators: Operators = new Map([
  ['$regexFind', searching({ of: findFirst, nothing: null })],
  ['$regexFindAll', searching({ of: findAll, nothing: [] })],
  ['$regexMatch', searching({ of: (regex, text) => regex.test(text), nothing: false })],
]);

import { fail } from '../errors.js';
import type { SortElements } from '../sort/sort-elements.js';
import { directionOf, elementsByFields, wholeElements } from '../sort/sort-elements.js';
import { parseSort } from '../sort/sort.js';
import type { Collation } from '../value/compare.js';
import type { Value } from '../value/value.js';
import { isArray, isDoc, isNullish, typeName } from '../value/value.js';
import { spend, stepsOfSorting } from '../work/meter.js';
import type { ValueAccumulatorClass } from './accumulator.js';
import { countedArguments } from './accumulators.js';
import type { Expression, Operator, Operators, Parser } from './expression.js';
import type { Keeper } from './first-n.js';
import { extremesOf, FirstN, LastN, requireCount } from './first-n.js';
import { Average, extreme, PopulationDeviation, SampleDeviation, Sum } from './gatherers.js';
import { namedArguments, variadic } from './operator.js';
import { percentileArguments, Ranking } from './percentile.js';

/** The input of an accumulator that is used in an expression. Its values are passed to `take` instead. */
const byHand = (): undefined => undefined;

/** A single operand that is an array provides the values; several operands are the values themselves. */
const over = (Class: ValueAccumulatorClass): Operator =>
  variadic(operands => scope => {
    const accumulator = new Class(byHand);
    const values = operands.map(operand => operand.evaluate(scope));
    const [only] = values;
    const taken = values.length === 1 && isArray(only) ? only : values;
    spend(2 * taken.length);
    for (const value of taken) accumulator.take(value);
    return accumulator.result();
  });

const keeping =
  (Keep: Keeper): Operator =>
  (spec, parser, name) => {
    const { input, n } = countedArguments(spec, parser, name);
    return parser.fold([input, n], scope => {
      const keeper = new Keep(byHand, requireCount(n.evaluate(scope)));
      const array = input.evaluate(scope);
      if (!isArray(array)) throw fail(5788200, 'Input must be an array');
      spend(2 * array.length);
      for (const item of array) keeper.take(item);
      return keeper.result();
    });
  };

/** Ranks the numbers of an array, or a single number. */
const rankingOf = (input: Expression, scope: Parameters<Expression['evaluate']>[0]): Ranking => {
  const ranking = new Ranking();
  const value = input.evaluate(scope);
  if (isArray(value)) {
    spend(stepsOfSorting(value.length));
    for (const item of value) ranking.add(item);
  } else ranking.add(value);
  return ranking;
};

const median: Operator = (spec, parser) => {
  const { input } = percentileArguments(spec, parser, '$median', 'expression');
  return parser.fold([input], scope => rankingOf(input, scope).at(0.5));
};

const percentile: Operator = (spec, parser) => {
  const { input, wanted } = percentileArguments(spec, parser, '$percentile', 'expression');
  return parser.fold([input], scope => {
    const ranking = rankingOf(input, scope);
    return wanted.map(p => ranking.at(p));
  });
};

/** Returns the order of elements: 1 and -1 compare whole elements, a document compares their fields. */
const orderOf = (sortBy: Value): SortElements => {
  if (isDoc(sortBy)) return elementsByFields(parseSort(sortBy).pattern);
  const direction = directionOf(sortBy);
  if (direction !== undefined) return wholeElements(direction);
  throw fail(2942506, 'The $sort element value must be either 1 or -1');
};

const sortArray =
  (collation: Collation | undefined): Operator =>
  (spec: Value, parser: Parser) => {
    const named = namedArguments(spec, {
      fields: ['input', 'sortBy'],
      notObject: found => fail(2942500, `$sortArray requires an object as an argument, found: ${typeName(found)}`),
      unknown: field => fail(2942501, `$sortArray found an unknown argument: ${field}`),
    });
    const inputSpec = named.get('input');
    const sortBy = named.get('sortBy');
    if (inputSpec === undefined) throw fail(2942502, `$sortArray requires 'input' to be specified`);
    if (sortBy === undefined) throw fail(2942503, `$sortArray requires 'sortBy' to be specified`);
    const input = parser.operand(inputSpec);
    const sorted = orderOf(sortBy);
    return parser.fold([input], scope => {
      const array = input.evaluate(scope);
      if (isNullish(array)) return null;
      if (isArray(array)) return sorted(array, collation);
      throw fail(2942504, `The input argument to $sortArray must be an array, but was of type: ${typeName(array)}`);
    });
  };

/** Returns the accumulators that can be used as expressions, and `$sortArray`. */
export const gatheringOperators = (collation: Collation | undefined): Operators =>
  new Map([
    ['$avg', over(Average)],
    ['$firstN', keeping(FirstN)],
    ['$lastN', keeping(LastN)],
    ['$max', over(extreme(1, collation))],
    ['$maxN', keeping(extremesOf(1, collation))],
    ['$median', median],
    ['$min', over(extreme(-1, collation))],
    ['$minN', keeping(extremesOf(-1, collation))],
    ['$percentile', percentile],
    ['$sortArray', sortArray(collation)],
    ['$stdDevPop', over(PopulationDeviation)],
    ['$stdDevSamp', over(SampleDeviation)],
    ['$sum', over(Sum)],
  ]);

import { fail } from '../errors.js';
import { parseSort } from '../sort/sort.js';
import type { Sort, SortKey } from '../sort/sort.js';
import type { Collation } from '../value/compare.js';
import type { Value } from '../value/value.js';
import { isArray, isDoc, typeName } from '../value/value.js';
import type { Accumulator, AccumulatorParser, ValueAccumulatorClass } from './accumulator.js';
import type { Expression, Parser } from './expression.js';
import { footprint } from '../work/footprint.js';
import { constant } from './expression.js';
import type { Keeper } from './first-n.js';
import { extremesOf, FirstN, insertBounded, LastN, requireCount } from './first-n.js';
import {
  Average,
  ConcatArrays,
  distinctValues,
  extreme,
  First,
  Last,
  MergeObjects,
  PopulationDeviation,
  Push,
  SampleDeviation,
  Sum,
} from './gatherers.js';
import { namedArguments, showField } from './operator.js';
import { Median, percentileArguments, Percentiles } from './percentile.js';
import type { Scope } from './scope.js';
import { scriptAccumulator } from './script-accumulator.js';

const single = (spec: Value, parser: Parser, name: string): Expression => {
  if (isArray(spec)) throw fail(40237, `The ${name} accumulator is a unary operator`);
  return parser.operand(spec);
};

const ofValue =
  (Class: ValueAccumulatorClass): AccumulatorParser =>
  (spec, parser, name) => {
    const { evaluate } = single(spec, parser, name);
    return { start: () => new Class(evaluate) };
  };

const counting: AccumulatorParser = spec => {
  if (!isDoc(spec) || spec.size > 0) throw fail('TypeMismatch', '$count takes no arguments, i.e. $count:{}');
  const one = constant(1).evaluate;
  return { start: () => new Sum(one) };
};

export const requireArray =
  (name: string, code: number) =>
  (value: Value): readonly Value[] => {
    if (isArray(value)) return value;
    throw fail(code, `${name} requires array inputs, but input is of type ${typeName(value)}`);
  };

const concatenating: AccumulatorParser = (spec, parser, name) => {
  const { evaluate } = single(spec, parser, name);
  const check = requireArray(name, 14);
  return { start: () => new ConcatArrays(evaluate, check) };
};

const uniting =
  (Distinct: ValueAccumulatorClass): AccumulatorParser =>
  (spec, parser, name) => {
    const { evaluate } = single(spec, parser, name);
    const check = requireArray(name, 14);
    return {
      start: () => {
        const set = new Distinct(evaluate);
        return {
          add: scope => {
            const value = evaluate(scope);
            if (value !== undefined) for (const item of check(value)) set.take(item);
          },
          result: () => set.result(),
        };
      },
    };
  };

export interface CountedArguments {
  readonly input: Expression;
  readonly n: Expression;
}

/**
 * Compiles `{ input, n }`.
 * @throws CommandError 57879…
 */
export const countedArguments = (spec: Value, parser: Parser, name: string): CountedArguments => {
  const named = namedArguments(spec, {
    fields: ['input', 'n'],
    notObject: found =>
      fail(
        name === '$minN' || name === '$maxN' ? 5787900 : 5787801,
        `specification must be an object; found ${showField(name, found)}`,
      ),
    unknown: field => fail(5787901, `Unknown argument for 'n' operator: ${field}`),
  });
  const n = named.get('n');
  const input = named.get('input');
  if (n === undefined) throw fail(5787906, `Missing value for 'n'`);
  if (input === undefined) throw fail(5787907, `Missing value for 'input'`);
  return { input: parser.operand(input), n: parser.operand(n) };
};

const keeping =
  (Keep: Keeper): AccumulatorParser =>
  (spec, parser, name) => {
    const { input, n } = countedArguments(spec, parser, name);
    return { n, start: scope => new Keep(input.evaluate, requireCount(n.evaluate(scope))) };
  };

/** The sort key and the output of a document that `$top` or a similar accumulator keeps. */
export interface Ranked {
  readonly key: SortKey;
  readonly output: Value;
}

export interface RankedArguments {
  readonly n: Expression;
  readonly output: Expression;
  readonly sort: Sort;
}

/**
 * Compiles `{ n, output, sortBy }`. For accumulators of a single value, `n` is 1.
 * @throws CommandError 5788001 … 5788005, 10065
 */
export const rankedArguments = (
  spec: Value,
  parser: Parser,
  name: string,
  { many, collation }: { readonly many: boolean; readonly collation: Collation | undefined },
): RankedArguments => {
  const fields = many ? ['n', 'output', 'sortBy'] : ['output', 'sortBy'];
  const named = namedArguments(spec, {
    fields,
    notObject: found => fail(5788001, `specification must be an object; found ${showField(name, found)}`),
    unknown: field => fail(5788002, `Unknown argument to ${name} '${field}'`),
  });
  const [nSpec, outputSpec, sortSpec] = [many ? named.get('n') : 1, named.get('output'), named.get('sortBy')];
  if (nSpec === undefined) throw fail(5788003, `Missing value for 'n'`);
  if (outputSpec === undefined) throw fail(5788004, `Missing value for 'output'`);
  if (sortSpec === undefined) throw fail(5788005, `Missing value for 'sortBy'`);
  if (!isDoc(sortSpec)) throw fail(10065, 'invalid parameter: expected an object (sortBy)');
  return {
    n: parser.operand(nSpec),
    output: parser.operand(outputSpec),
    sort: parseSort(sortSpec, { collation }),
  };
};

/** Creates `$top` and `$bottom`, which return a single value, or `$topN` and `$bottomN`, which return an array. */
const ranking =
  (collation: Collation | undefined, from: 'top' | 'bottom', many: boolean): AccumulatorParser =>
  (spec, parser, name) => {
    const { n, output, sort } = rankedArguments(spec, parser, name, { many, collation });
    const order = (a: Ranked, b: Ranked): number => sort.compareKeys(a.key, b.key);
    const dropped = from === 'top' ? 'last' : 'first';

    const start = (scope: Scope): Accumulator => {
      const limit = requireCount(n.evaluate(scope));
      const best: Ranked[] = [];
      return {
        add: at => {
          const one = { key: sort.key(at.root), output: output.evaluate(at) ?? null };
          const before = best.length;
          insertBounded(best, one, limit, order, dropped);
          if (best.length > before) at.hold(footprint(one.key) + footprint(one.output), name);
        },
        result: () => {
          const outputs = best.map(item => item.output);
          return many ? outputs : (outputs[0] ?? null);
        },
      };
    };
    return { n, start };
  };

const medians: AccumulatorParser = (spec, parser) => {
  const { input } = percentileArguments(spec, parser, '$median');
  return { start: () => new Median(input.evaluate) };
};

const percentiles: AccumulatorParser = (spec, parser) => {
  const { input, wanted } = percentileArguments(spec, parser, '$percentile');
  return { start: () => new Percentiles(input.evaluate, wanted) };
};

/** Returns the accumulators of `$group`, `$bucket` and `$bucketAuto` by name. */
export const createAccumulators = (collation: Collation | undefined): ReadonlyMap<string, AccumulatorParser> =>
  new Map([
    ['$accumulator', scriptAccumulator],
    ['$addToSet', ofValue(distinctValues(collation))],
    ['$avg', ofValue(Average)],
    ['$bottom', ranking(collation, 'bottom', false)],
    ['$bottomN', ranking(collation, 'bottom', true)],
    ['$concatArrays', concatenating],
    ['$count', counting],
    ['$first', ofValue(First)],
    ['$firstN', keeping(FirstN)],
    ['$last', ofValue(Last)],
    ['$lastN', keeping(LastN)],
    ['$max', ofValue(extreme(1, collation))],
    ['$maxN', keeping(extremesOf(1, collation))],
    ['$median', medians],
    ['$mergeObjects', ofValue(MergeObjects)],
    ['$min', ofValue(extreme(-1, collation))],
    ['$minN', keeping(extremesOf(-1, collation))],
    ['$percentile', percentiles],
    ['$push', ofValue(Push)],
    ['$setUnion', uniting(distinctValues(collation))],
    ['$stdDevPop', ofValue(PopulationDeviation)],
    ['$stdDevSamp', ofValue(SampleDeviation)],
    ['$sum', ofValue(Sum)],
    ['$top', ranking(collation, 'top', false)],
    ['$topN', ranking(collation, 'top', true)],
  ]);

import { fail } from '../../errors.js';
import type { Collation } from '../../value/compare.js';
import { compare } from '../../value/compare.js';
import { Doc } from '../../value/doc.js';
import { toDouble } from '../../value/numbers.js';
import type { Value } from '../../value/value.js';
import { double, isDoc, isNullish, isNumber } from '../../value/value.js';
import type { Ranked } from '../accumulators.js';
import { countedArguments, rankedArguments, requireArray } from '../accumulators.js';
import type { Expression } from '../expression.js';
import { requireCount } from '../first-n.js';
import { percentileArguments, rankOf } from '../percentile.js';
import type { Scope } from '../scope.js';
import type { WindowContext, WindowFunctionParser } from './arguments.js';
import { boundsOr, readGiven, readStrictly } from './arguments.js';
import {
  AverageOf,
  BestOf,
  ConcatenationOf,
  CountOf,
  CovarianceOf,
  DeviationOf,
  EndsOf,
  ExtremeOf,
  MergeOf,
  PushOf,
  SetOf,
  SumOf,
  UnionOf,
} from './gatherers.js';
import type { Partition } from './partition.js';
import type { Gatherer } from './sliding.js';
import { slide } from './sliding.js';

type Maybe = Value | undefined;

/** Creates the parser of a function with one value per document. */
const ofValue =
  (create: (collation: Collation | undefined) => Gatherer<Maybe>): WindowFunctionParser =>
  (spec, context, name) => {
    const given = readGiven(spec, context, name);
    const { evaluate } = context.parser.operand(given.argument);
    return slide({
      bounds: boundsOr(given),
      sort: context.sort,
      read: evaluate,
      start: () => create(context.collation),
    });
  };

/** Creates the parser of a function that combines arrays. Missing arrays are ignored. */
const ofArrays =
  (create: (collation: Collation | undefined) => Gatherer<Maybe>): WindowFunctionParser =>
  (spec, context, name) => {
    const given = readGiven(spec, context, name);
    const { evaluate } = context.parser.operand(given.argument);
    const check = requireArray(name, 14);
    return slide<Maybe>({
      bounds: boundsOr(given),
      sort: context.sort,
      read: scope => {
        const value = evaluate(scope);
        return value === undefined ? undefined : check(value);
      },
      start: () => create(context.collation),
    });
  };

/** `$mergeObjects`, which cannot remove the fields of a document that leaves the window. */
const merging: WindowFunctionParser = (spec, context, name) => {
  const given = readGiven(spec, context, name);
  if (boundsOr(given).lower !== 'unbounded')
    throw fail(5461500, `The lower bound of a window of ${name} must be 'unbounded'`);
  return ofValue(() => new MergeOf())(spec, context, name);
};

const counting: WindowFunctionParser = (spec, context, name) => {
  const given = readGiven(spec, context, name);
  if (!isDoc(given.argument) || given.argument.size > 0) {
    throw fail('FailedToParse', '$count only accepts an empty object as input');
  }
  return slide({
    bounds: boundsOr(given),
    sort: context.sort,
    read: () => undefined,
    start: () => new CountOf(),
  });
};

/** Evaluates `n`, which must not refer to the document. */
const countOf = (n: Expression, partition: Partition): number =>
  partition.at(0, (scope: Scope) => {
    scope.root = Doc.EMPTY;
    return requireCount(n.evaluate(scope));
  });

const ofCount =
  (create: (n: number, collation: Collation | undefined) => Gatherer<Maybe>): WindowFunctionParser =>
  (spec, context, name) => {
    const given = readStrictly(spec, context, name);
    const { input, n } = countedArguments(given.argument, context.parser, name);
    return slide({
      bounds: boundsOr(given),
      sort: context.sort,
      read: input.evaluate,
      start: partition => create(countOf(n, partition), context.collation),
    });
  };

const extremesOf = (sign: 1 | -1): WindowFunctionParser =>
  ofCount(
    (n, collation) =>
      new BestOf<Maybe>(
        (a, b) => -sign * compare(a, b, collation),
        value => !isNullish(value),
        ranked => ranked.slice(0, n) as Value[],
      ),
  );

const ranking =
  (from: 'top' | 'bottom', many: boolean): WindowFunctionParser =>
  (spec, context, name) => {
    const given = readStrictly(spec, context, name);
    const { collation, parser } = context;
    const { n, output, sort } = rankedArguments(given.argument, parser, name, { many, collation });
    return slide<Ranked>({
      bounds: boundsOr(given),
      sort: context.sort,
      read: scope => ({ key: sort.key(scope.root), output: output.evaluate(scope) ?? null }),
      start: partition => {
        const most = countOf(n, partition);
        return new BestOf<Ranked>(
          (a, b) => sort.compareKeys(a.key, b.key),
          () => true,
          ranked => {
            const best = from === 'top' ? ranked.slice(0, most) : ranked.slice(-most);
            return many ? best.map(item => item.output) : (best[0]?.output ?? null);
          },
        );
      },
    });
  };

/** Collects the numbers of a window in sorted order. */
const ranks = (resultOf: (numbers: readonly number[]) => Value): Gatherer<Maybe> => {
  const best = new BestOf<number>(
    (a, b) => a - b,
    value => !Number.isNaN(value),
    resultOf,
  );
  const numberOf = (value: Maybe): number => (isNumber(value) ? toDouble(value) : Number.NaN);
  return {
    add: value => {
      best.add(numberOf(value));
    },
    remove: value => {
      best.remove(numberOf(value));
    },
    result: () => best.result(),
  };
};

const atRank = (numbers: readonly number[], p: number): Value =>
  numbers.length === 0 ? null : double(numbers[rankOf(numbers.length, p)]!);

const quantiles =
  (kind: '$median' | '$percentile'): WindowFunctionParser =>
  (spec: Doc, context: WindowContext) => {
    const given = readStrictly(spec, context, kind);
    const { input, wanted } = percentileArguments(given.argument, context.parser, kind);
    return slide({
      bounds: boundsOr(given),
      sort: context.sort,
      read: input.evaluate,
      start: () => ranks(numbers => (kind === '$median' ? atRank(numbers, 0.5) : wanted.map(p => atRank(numbers, p)))),
    });
  };

/** The functions that accumulate the values of a window. */
export const gatheringFunctions: readonly (readonly [string, WindowFunctionParser])[] = [
  ['$addToSet', ofValue(collation => new SetOf(collation))],
  ['$avg', ofValue(() => new AverageOf())],
  ['$bottom', ranking('bottom', false)],
  ['$bottomN', ranking('bottom', true)],
  ['$concatArrays', ofArrays(() => new ConcatenationOf())],
  ['$count', counting],
  ['$covariancePop', ofValue(() => new CovarianceOf(false))],
  ['$covarianceSamp', ofValue(() => new CovarianceOf(true))],
  ['$firstN', ofCount(n => new EndsOf(n, false))],
  ['$lastN', ofCount(n => new EndsOf(n, true))],
  ['$max', ofValue(collation => new ExtremeOf(1, collation))],
  ['$maxN', extremesOf(1)],
  ['$median', quantiles('$median')],
  ['$mergeObjects', merging],
  ['$min', ofValue(collation => new ExtremeOf(-1, collation))],
  ['$minN', extremesOf(-1)],
  ['$percentile', quantiles('$percentile')],
  ['$push', ofValue(() => new PushOf())],
  ['$setUnion', ofArrays(collation => new UnionOf(collation))],
  ['$stdDevPop', ofValue(() => new DeviationOf(false))],
  ['$stdDevSamp', ofValue(() => new DeviationOf(true))],
  ['$sum', ofValue(() => new SumOf())],
  ['$top', ranking('top', false)],
  ['$topN', ranking('top', true)],
];

import { fail } from '../../errors.js';
import { compare, equal } from '../../value/compare.js';
import { Doc } from '../../value/doc.js';
import { isNaNValue } from '../../value/numbers.js';
import type { NumberValue, Value } from '../../value/value.js';
import { isDoc, isNumber, typeName } from '../../value/value.js';
import { footprint } from '../../work/footprint.js';
import { isDue, spend } from '../../work/meter.js';
import type { Pieces } from '../../work/pause.js';
import { pause } from '../../work/pause.js';
import type { Accumulator } from '../accumulator.js';
import { exactInt, print } from '../coerce.js';
import type { Expression } from '../expression.js';
import type { Rounder } from '../granularity.js';
import { rounderOf } from '../granularity.js';
import { showField } from '../operator.js';
import type { Scope } from '../scope.js';
import type { StageContext, StageParser } from '../stage.js';
import { scopeOf } from '../stage.js';
import { defaultOutput, isExpression } from './bucket.js';
import type { OutputField } from './group.js';
import { parseOutputField, resultDoc } from './group.js';

interface BucketAuto {
  readonly groupBy: Expression;
  readonly buckets: number;
  readonly fields: readonly OutputField[];
  readonly rounder: Rounder | undefined;
}

const readCount = (value: Value): number => {
  if (!isNumber(value)) {
    throw fail(40241, `The $bucketAuto 'buckets' field must be a numeric value, but found type: ${typeName(value)}`);
  }
  const n = exactInt(value);
  if (n === undefined) {
    throw fail(
      40242,
      `The $bucketAuto 'buckets' field must be representable as a 32-bit integer, but found ${print(value)}`,
    );
  }
  if (n <= 0) throw fail(40243, `The $bucketAuto 'buckets' field must be greater than 0, but found: ${n}`);
  return n;
};

const readRounder = (value: Value | undefined): Rounder | undefined => {
  if (value === undefined) return undefined;
  if (typeof value === 'string') return rounderOf(value);
  throw fail(40261, `The $bucketAuto 'granularity' field must be a string, but found type: ${typeName(value)}`);
};

const readOutput = (name: string, spec: Value, context: StageContext): OutputField => {
  const field = parseOutputField(name, spec, context);
  const { n } = field.gathering;
  if (n === undefined || n.kind === 'constant') return field;
  throw fail(4544714, "Can't refer to the group key in $bucketAuto");
};

const read = (spec: Value, context: StageContext): BucketAuto => {
  if (!isDoc(spec))
    throw fail(40240, `The argument to $bucketAuto must be an object, but found type: ${typeName(spec)}`);
  for (const key of spec.keys()) {
    if (!['groupBy', 'buckets', 'output', 'granularity'].includes(key)) {
      throw fail(40245, `Unrecognized option to $bucketAuto: ${key}`);
    }
  }
  const groupBy = spec.get('groupBy');
  const buckets = spec.get('buckets');
  if (groupBy !== undefined && !isExpression(groupBy)) {
    throw fail(
      40239,
      `The $bucketAuto 'groupBy' field must be defined as a $-prefixed path or an expression object, but found: ${showField('groupBy', groupBy)}`,
    );
  }
  const output = spec.get('output');
  if (output !== undefined && !isDoc(output)) {
    throw fail(40244, `The $bucketAuto 'output' field must be an object, but found type: ${typeName(output)}`);
  }
  if (groupBy === undefined || buckets === undefined) {
    throw fail(40246, `$bucketAuto requires 'groupBy' and 'buckets' to be specified`);
  }
  return {
    groupBy: context.parser.operand(groupBy),
    buckets: readCount(buckets),
    rounder: readRounder(spec.get('granularity')),
    fields: (output?.entries() ?? defaultOutput).map(([name, value]) => readOutput(name, value, context)),
  };
};

interface Keyed {
  readonly doc: Doc;
  readonly key: Value;
}

const roundable = (value: Value): NumberValue => {
  if (!isNumber(value)) {
    throw fail(
      40258,
      `$bucketAuto can specify a 'granularity' with numeric boundaries only, but found a value with type: ${typeName(value)}`,
    );
  }
  if (isNaNValue(value)) {
    throw fail(40259, `$bucketAuto can specify a 'granularity' with numeric boundaries only, but found a NaN`);
  }
  if (compare(value, 0) < 0) {
    throw fail(
      40260,
      `$bucketAuto can specify a 'granularity' with non-negative numbers only, but found a negative number`,
    );
  }
  return value;
};

interface Bucket {
  readonly min: Value;
  readonly max: Value;
  readonly members: readonly Keyed[];
}

/** Divides sorted documents into buckets of about equal size. Documents with equal keys stay together. */
const divide = (
  sorted: readonly Keyed[],
  { buckets, rounder }: BucketAuto,
  context: StageContext,
): readonly Bucket[] => {
  const same = (a: Value, b: Value): boolean => equal(a, b, context.collation);
  const size = Math.max(1, Math.round(sorted.length / buckets));
  const result: Bucket[] = [];
  let at = 0;
  let previousMax: Value | undefined;
  while (at < sorted.length) {
    const start = at;
    const isLast = result.length === buckets - 1;
    at = isLast ? sorted.length : Math.min(sorted.length, at + size);
    let min = sorted[start]!.key;
    let max = sorted[at - 1]!.key;
    if (rounder === undefined) {
      while (at < sorted.length && same(sorted[at]!.key, max)) at += 1;
      if (at < sorted.length) max = sorted[at]!.key;
    } else {
      min = previousMax ?? rounder.down(roundable(min));
      const rounded = rounder.up(roundable(max));
      const absorbs = (key: Value, last: Value): boolean => compare(key, rounded) < 0 || same(key, last);
      while (at < sorted.length && absorbs(sorted[at]!.key, sorted[at - 1]!.key)) at += 1;
      // Zero is not rounded up, so such a bucket ends where the next one begins.
      max = compare(rounded, 0) === 0 && at < sorted.length ? rounder.down(roundable(sorted[at]!.key)) : rounded;
      previousMax = max;
    }
    result.push({ min, max, members: sorted.slice(start, at) });
  }
  return result;
};

const gather = function* ({ min, max, members }: Bucket, fields: readonly OutputField[], scope: Scope): Pieces<Doc> {
  const accumulators: readonly Accumulator[] = fields.map(({ gathering }) => gathering.start(scope));
  for (const { doc } of members) {
    if (isDue()) yield pause;
    scope.root = doc;
    for (const accumulator of accumulators) accumulator.add(scope);
  }
  return resultDoc(
    Doc.of([
      ['min', min],
      ['max', max],
    ]),
    fields,
    accumulators,
  );
};

export const parseBucketAuto: StageParser = (spec, context, name) => {
  const stage = read(spec, context);
  return [
    {
      name,
      *run(input, frame) {
        const scope = scopeOf(frame);
        scope.bound = frame.environment.allowance?.sort;
        const keyed: Keyed[] = [];
        for (const doc of input) {
          if (doc === pause) {
            yield pause;
            continue;
          }
          scope.root = doc;
          scope.hold(footprint(doc), name, doc);
          const key = stage.groupBy.evaluate(scope) ?? null;
          if (stage.rounder !== undefined) roundable(key);
          keyed.push({ doc, key });
        }
        keyed.sort((a, b) => {
          spend(1);
          return compare(a.key, b.key, context.collation);
        });
        scope.root = Doc.EMPTY;
        for (const bucket of divide(keyed, stage, context)) yield yield* gather(bucket, stage.fields, scope);
      },
    },
  ];
};

import { fail } from '../../errors.js';
import { compare, rankOf } from '../../value/compare.js';
import { Doc, type Entry } from '../../value/doc.js';
import type { Value } from '../../value/value.js';
import { isArray, isDoc, typeName } from '../../value/value.js';
import { print } from '../coerce.js';
import { showField } from '../operator.js';
import type { StageContext, StageParser } from '../stage.js';

/** Returns whether a value is a path or an operator, whose result depends on the document. */
export const isExpression = (value: Value): boolean =>
  typeof value === 'string' ? value.startsWith('$') : isDoc(value) && value.keys()[0]?.startsWith('$') === true;

const constantOf = (value: Value, { parser }: StageContext): Value | undefined => {
  const operand = parser.operand(value);
  return operand.kind === 'constant' ? (operand.value ?? null) : undefined;
};

const readBoundaries = (value: Value, context: StageContext): readonly Value[] => {
  if (!isArray(value)) {
    throw fail(40200, `The $bucket 'boundaries' field must be an array, but found type: ${typeName(value)}.`);
  }
  const boundaries = value.map(item => {
    const boundary = constantOf(item, context);
    if (boundary !== undefined) return boundary;
    throw fail(
      40191,
      `The $bucket 'boundaries' field must be an array of constant values, but found value: ${print(item)}.`,
    );
  });
  if (boundaries.length < 2) {
    throw fail(
      40192,
      `The $bucket 'boundaries' field must have at least 2 values, but found ${boundaries.length} value(s).`,
    );
  }
  requireAscending(boundaries, context);
  return boundaries;
};

const requireAscending = (boundaries: readonly Value[], { collation }: StageContext): void => {
  for (let i = 1; i < boundaries.length; i++) {
    const [lower, upper] = [boundaries[i - 1]!, boundaries[i]!];
    if (rankOf(lower) !== rankOf(upper)) {
      throw fail(
        40193,
        `All values in the the 'boundaries' option to $bucket must have the same type. Found conflicting types ${typeName(lower)} and ${typeName(upper)}.`,
      );
    }
    if (compare(lower, upper, collation) >= 0) {
      throw fail(
        40194,
        `The 'boundaries' option to $bucket must be sorted, but elements ${i - 1} and ${i} are not in ascending order (${print(lower)} is not less than ${print(upper)}).`,
      );
    }
  }
};

const literal = (value: Value): Doc => Doc.of([['$literal', value]]);

const branch = (groupBy: Value, lower: Value, upper: Value): Doc => {
  const from = Doc.of([['$gte', [groupBy, literal(lower)]]]);
  const to = Doc.of([['$lt', [groupBy, literal(upper)]]]);
  return Doc.of([
    ['case', Doc.of([['$and', [from, to]]])],
    ['then', literal(lower)],
  ]);
};

const readDefault = (value: Value, boundaries: readonly Value[], context: StageContext): Value => {
  const found = constantOf(value, context);
  if (found === undefined) {
    throw fail(
      40195,
      `The $bucket 'default' field must be a constant expression, but found: ${showField('default', value)}.`,
    );
  }
  const inside =
    compare(found, boundaries[0], context.collation) >= 0 && compare(found, boundaries.at(-1), context.collation) < 0;
  if (inside) {
    throw fail(
      40199,
      `The $bucket 'default' field must be less than the lowest boundary or greater than or equal to the highest boundary.`,
    );
  }
  return found;
};

export const defaultOutput: readonly Entry[] = [['count', Doc.of([['$sum', 1]])]];

const readOutput = (value: Value | undefined): readonly Entry[] => {
  if (value === undefined) return defaultOutput;
  if (isDoc(value)) return value.entries();
  throw fail(40196, `The $bucket 'output' field must be an object, but found type: ${typeName(value)}.`);
};

/** Compiles `$bucket` as a `$group` by a `$switch`, followed by a sort. */
export const parseBucket: StageParser = (spec, context) => {
  if (!isDoc(spec))
    throw fail(40201, `Argument to $bucket stage must be an object, but found type: ${typeName(spec)}.`);
  for (const key of spec.keys()) {
    if (!['groupBy', 'boundaries', 'default', 'output'].includes(key)) {
      throw fail(40197, `Unrecognized option to $bucket: ${key}.`);
    }
  }
  const groupBy = spec.get('groupBy');
  const boundaryList = spec.get('boundaries');
  if (groupBy !== undefined && !isExpression(groupBy)) {
    throw fail(
      40202,
      `The $bucket 'groupBy' field must be defined as a $-prefixed path or an expression, but found: ${showField('groupBy', groupBy)}.`,
    );
  }
  if (groupBy === undefined || boundaryList === undefined) {
    throw fail(40198, `$bucket requires 'groupBy' and 'boundaries' to be specified.`);
  }
  const boundaries = readBoundaries(boundaryList, context);
  const defaultSpec = spec.get('default');
  const branches = boundaries.slice(1).map((upper, i) => branch(groupBy, boundaries[i]!, upper));
  const choice: Entry[] = [['branches', branches]];
  if (defaultSpec !== undefined) choice.push(['default', literal(readDefault(defaultSpec, boundaries, context))]);
  const id = Doc.of([['$switch', Doc.of(choice)]]);
  return [
    ...context.stage('$group', Doc.of([['_id', id], ...readOutput(spec.get('output'))])),
    ...context.stage('$sort', Doc.of([['_id', 1]])),
  ];
};

import { fail } from '../../errors.js';
import type { Sort } from '../../sort/sort.js';
import { compareNumbers } from '../../value/numbers.js';
import { show } from '../../value/show.js';
import type { NumberValue, Value } from '../../value/value.js';
import { isArray, isDoc, isNumber } from '../../value/value.js';
import { exactInt, print } from '../coerce.js';
import type { Unit } from '../date-unit.js';
import { isUnit } from '../date-unit.js';
import type { Parser } from '../expression.js';

export type Bound<T> = 'unbounded' | 'current' | T;

/** The window of a document within its partition. Both ends are inclusive. */
export type Bounds =
  | { readonly kind: 'documents'; readonly lower: Bound<number>; readonly upper: Bound<number> }
  /** A range of values of the only sort field. With a unit, the values are dates. */
  | {
      readonly kind: 'range';
      readonly lower: Bound<NumberValue>;
      readonly upper: Bound<NumberValue>;
      readonly unit: Unit | undefined;
    };

export const wholePartition: Bounds = { kind: 'documents', lower: 'unbounded', upper: 'unbounded' };

const parseFailure = (message: string): Error => fail('FailedToParse', message);

/** @throws CommandError FailedToParse if the text is not a unit */
export const parseUnit = (text: string): Unit => {
  if (isUnit(text)) return text;
  throw parseFailure(`unknown time unit value: ${text}`);
};

const parseBound = <T>(value: Value, parser: Parser, read: (value: Value | undefined) => T): Bound<T> => {
  if (typeof value === 'string') {
    if (value === 'unbounded' || value === 'current') return value;
    throw parseFailure("Window bounds must be 'unbounded', 'current', or a number.");
  }
  const operand = parser.operand(value);
  if (operand.kind !== 'constant') throw parseFailure('Window bounds expression must be a constant.');
  return read(operand.value);
};

const readPosition = (value: Value | undefined): number => {
  const int = isNumber(value) ? exactInt(value) : undefined;
  if (int === undefined) throw parseFailure('Numeric document-based bounds must be an integer');
  return int;
};

const readAmount = (value: Value | undefined): NumberValue => {
  if (!isNumber(value) || exactInt(value) === undefined) {
    throw parseFailure("With 'unit', range-based bounds must be an integer");
  }
  return value;
};

const readDistance = (value: Value | undefined): NumberValue => {
  if (!isNumber(value)) throw parseFailure('Range-based bounds expression must be a number');
  return value;
};

const requireForward = (lower: Bound<NumberValue>, upper: Bound<NumberValue>): void => {
  if (lower === 'unbounded' || upper === 'unbounded') return;
  const [least, greatest] = [lower === 'current' ? 0 : lower, upper === 'current' ? 0 : upper];
  if (compareNumbers(least, greatest) <= 0) return;
  throw fail(5339900, `Lower bound must not exceed upper bound: [${print(least)}, ${print(greatest)}]`);
};

const parsePair = <T extends NumberValue>(
  name: string,
  value: Value,
  parser: Parser,
  read: (value: Value | undefined) => T,
): { readonly lower: Bound<T>; readonly upper: Bound<T> } => {
  if (!isArray(value) || value.length !== 2) {
    throw parseFailure(`Window bounds must be a 2-element array: ${name}: ${show(value)}`);
  }
  const lower = parseBound(value[0]!, parser, read);
  const upper = parseBound(value[1]!, parser, read);
  requireForward(lower, upper);
  return { lower, upper };
};

const requireRangeSort = (sort: Sort | undefined): void => {
  if (sort?.pattern.length !== 1) throw fail(5339902, 'Range-based bounds require sortBy a single field');
  if (sort.pattern[0]!.direction !== 1) throw fail(8947401, 'Range-based bounds require an ascending sortBy');
};

const parseRange = (range: Value, unit: Value | undefined, fields: number, parser: Parser): Bounds => {
  if (unit === undefined) {
    if (fields > 1) throw parseFailure("'window' field that specifies range cannot have other fields besides 'unit'");
    return { kind: 'range', ...parsePair('range', range, parser, readDistance), unit };
  }
  if (fields > 2) throw parseFailure("'window' field that specifies unit cannot have other fields besides 'range'");
  if (typeof unit !== 'string') throw parseFailure("'unit' must be a string");
  return { kind: 'range', ...parsePair('range', range, parser, readAmount), unit: parseUnit(unit) };
};

/**
 * Compiles `{ documents: [l, u] }`, `{ range: [l, u], unit }` or `{}`.
 * @throws CommandError FailedToParse, 5339900 … 5339902, 8947401
 */
export const parseBounds = (spec: Value, sort: Sort | undefined, parser: Parser): Bounds => {
  if (!isDoc(spec)) throw parseFailure("'window' field must be an object");
  const [documents, range, unit] = ['documents', 'range', 'unit'].map(name => spec.get(name));
  if (documents !== undefined && range !== undefined) {
    throw parseFailure("Window bounds can specify either 'documents' or 'unit', not both.");
  }
  if (range === undefined && unit !== undefined) {
    throw parseFailure("Window bounds can only specify 'unit' with range-based bounds.");
  }
  if (range !== undefined) {
    const bounds = parseRange(range, unit, spec.size, parser);
    requireRangeSort(sort);
    return bounds;
  }
  if (documents === undefined) {
    if (spec.size === 0) return wholePartition;
    throw parseFailure(
      "'window' field can only contain 'documents' as the only argument or 'range' with an optional 'unit' field",
    );
  }
  if (spec.size > 1) throw parseFailure("'window' field that specifies documents cannot have other fields");
  const { lower, upper } = parsePair('documents', documents, parser, readPosition);
  if (sort === undefined && (lower !== 'unbounded' || upper !== 'unbounded')) {
    throw fail(5339901, 'Document-based bounds require a sortBy');
  }
  return { kind: 'documents', lower, upper };
};

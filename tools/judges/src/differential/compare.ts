import { knownIds } from './generate/values.js';
import type { Operation, Outcome } from './operation.js';
import { isOrdered, nameOf } from './operation.js';
import type { Fields, Tree } from './tree.js';
import { isArray, isDocument, isObject, operatorsIn } from './tree.js';
import { wordsIn } from '../words.js';

/** How exactly two outcomes must agree. */
export interface Agreement {
  /** Whether the operation defines the order of its results. */
  readonly ordered: boolean;
  /** Whether arrays in documents are sets without a defined order. */
  readonly sets: boolean;
  /** Whether the last digits of numbers depend on the math library. */
  readonly rounded: boolean;
  /** Whether errors must have the same code. */
  readonly codes: boolean;
}

const unorderedSets = ['$setUnion', '$setIntersection', '$setDifference', '$addToSet', '$lookup', '$graphLookup'];

/** Functions whose last digit IEEE 754 does not define, and sums in no defined order. */
const inexact = new Set(
  wordsIn(`
  $exp $ln $log $log10 $pow $sqrt $sigmoid $sin $cos $tan $asin $acos $atan $atan2 $sinh $cosh $tanh $asinh $acosh $atanh
  $degreesToRadians $radiansToDegrees $stdDevPop $stdDevSamp $expMovingAvg $linearFill $covariancePop $covarianceSamp $derivative
  $integral
`),
);

export const agreementOf = (operation: Operation, codes: boolean): Agreement => {
  const operators = operatorsIn(operation.command);
  const name = nameOf(operation);
  return {
    ordered: name !== 'distinct' && (name === 'findAndModify' || isOrdered(operation)),
    sets: name === 'aggregate' && unorderedSets.some(operator => operators.has(operator)),
    rounded: [...operators].some(operator => inexact.has(operator)),
    codes,
  };
};

const minute = 60_000;

/** Returns whether a date is close to now, so that an engine read it from its clock. */
const isNow = (ms: number): boolean => Math.abs(ms - Date.now()) < 10 * minute;

/** Rounds a number to twelve digits. A number outside the range of a double is shortened as text. */
const twelveDigits = (text: string): string => {
  const value = Number(text);
  if (Number.isFinite(value) && (value !== 0 || !/[1-9]/.test(text.split('E')[0]!)))
    return Math.abs(value) < 1e-12 ? '0' : value.toPrecision(12);
  return text.replace(/^(-?\d\.?\d{0,11})\d*/, '$1');
};

/** Formats a value. Equal texts are values that are equal as far as the agreement requires. */
export const textOf = (tree: Tree, agreement: Agreement): string => {
  const text = (value: Tree): string => {
    if (isArray(value)) {
      const items = value.map(text);
      return `[${(agreement.sets ? items.sort() : items).join(',')}]`;
    }
    if (!isObject(value)) return JSON.stringify(value);
    const { $oid: id, $date: date, $timestamp: timestamp, $numberDouble: double, $numberDecimal: decimal } = value;
    if (typeof id === 'string' && !knownIds.includes(id)) return '{"$oid":"made"}';
    if (isObject(date) && isNow(Number(date['$numberLong']))) return '{"$date":"now"}';
    if (isObject(timestamp) && isNow(Number(timestamp['t']) * 1000)) return '{"$timestamp":"now"}';
    if (agreement.rounded && typeof double === 'string') return `{"$numberDouble":"${twelveDigits(double)}"}`;
    if (agreement.rounded && typeof decimal === 'string') return `{"$numberDecimal":"${twelveDigits(decimal)}"}`;
    return `{${Object.entries(value)
      .map(([name, item]) => `${JSON.stringify(name)}:${text(item)}`)
      .join(',')}}`;
  };
  return text(tree);
};

const sameResults = (ours: Tree, theirs: Tree, agreement: Agreement): boolean => {
  if (textOf(ours, agreement) === textOf(theirs, agreement)) return true;
  if (agreement.ordered || !isArray(ours) || !isArray(theirs) || ours.length !== theirs.length) return false;
  const sorted = (items: readonly Tree[]): string =>
    items
      .map(item => textOf(item, agreement))
      .sort()
      .join();
  return sorted(ours) === sorted(theirs);
};

/** Returns whether two outcomes are equal by value and type. */
export const agree = (ours: Outcome, theirs: Outcome, agreement: Agreement): boolean => {
  if (ours.kind === 'refused' || theirs.kind === 'refused') {
    if (ours.kind !== theirs.kind) return false;
    return !agreement.codes || (ours as { code: number }).code === (theirs as { code: number }).code;
  }
  if (!sameResults(ours.result, theirs.result, agreement)) return false;
  return textOf(ours.after ?? [], agreement) === textOf(theirs.after ?? [], agreement);
};

/** Returns whether an operation had a visible effect: a match, a change, or a result other than null. */
export const isEffective = (outcome: Outcome): boolean => {
  if (outcome.kind === 'refused') return false;
  const { result } = outcome;
  if (isArray(result)) return result.length > 0;
  if (!isDocument(result)) return false;
  const { n, nModified, value, upserted } = result as Fields & Readonly<Record<string, Tree | undefined>>;
  if ('value' in result) return value !== null || (upserted ?? null) !== null;
  return Number(nModified ?? n) > 0 || upserted !== undefined;
};

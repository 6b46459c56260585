import { knownIds } from './generate/values.js';
import type { Operation, Outcome } from './operation.js';
import { isOrdered, nameOf } from './operation.js';
import type { Fields, Tree } from './tree.js';
import { isArray, isDocument, isObject, operatorsIn } from './tree.js';
import { wordsIn } from '../words.js';

/** How exactly two outcomes have to agree. */
export interface Agreement {
  /** Whether the results of the command are in an order that the operation settles. */
  readonly ordered: boolean;
  /** Whether arrays in documents are sets, whose order nothing settles. */
  readonly sets: boolean;
  /** Whether the last digits of numbers depend on the mathematical library. */
  readonly rounded: boolean;
  /** Whether errors must have the same code. */
  readonly codes: boolean;
}

const unorderedSets = ['$setUnion', '$setIntersection', '$setDifference', '$addToSet', '$lookup', '$graphLookup'];

/** Functions that IEEE 754 does not settle to the last digit, and sums whose order is free. */
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

/** Dates of now are those that an engine read from its clock. */
const isNow = (ms: number): boolean => Math.abs(ms - Date.now()) < 10 * minute;

/** Twelve digits of it; by the text, if it is too great or too small for a double. */
const twelveDigits = (text: string): string => {
  const value = Number(text);
  if (Number.isFinite(value) && (value !== 0 || !/[1-9]/.test(text.split('E')[0]!)))
    return Math.abs(value) < 1e-12 ? '0' : value.toPrecision(12);
  return text.replace(/^(-?\d\.?\d{0,11})\d*/, '$1');
};

/** The value as text: equal texts are equal values of equal types, so far as the agreement asks for it. */
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

/** Whether two outcomes are the same, by value and type. */
export const agree = (ours: Outcome, theirs: Outcome, agreement: Agreement): boolean => {
  if (ours.kind === 'refused' || theirs.kind === 'refused') {
    if (ours.kind !== theirs.kind) return false;
    return !agreement.codes || (ours as { code: number }).code === (theirs as { code: number }).code;
  }
  if (!sameResults(ours.result, theirs.result, agreement)) return false;
  return textOf(ours.after ?? [], agreement) === textOf(theirs.after ?? [], agreement);
};

/** Whether an operation did something that can be seen: a match, a change, a result that is more than null. */
export const isEffective = (outcome: Outcome): boolean => {
  if (outcome.kind === 'refused') return false;
  const { result } = outcome;
  if (isArray(result)) return result.length > 0;
  if (!isDocument(result)) return false;
  const { n, nModified, value, upserted } = result as Fields & Readonly<Record<string, Tree | undefined>>;
  if ('value' in result) return value !== null || (upserted ?? null) !== null;
  return Number(nModified ?? n) > 0 || upserted !== undefined;
};

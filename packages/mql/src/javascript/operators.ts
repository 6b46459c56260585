import { isDoc, isNumber, DateValue, ObjectIdValue } from '../value/value.js';
import type { Value } from '../value/value.js';
import { toDouble } from '../value/numbers.js';
import { isoDate, show } from '../value/show.js';
import type { Budget } from './budget.js';
import { Foreign, Namespace, ScriptArray, ScriptFunction, ScriptObject } from './script-value.js';
import type { ScriptValue } from './script-value.js';
import type { BinaryOperator } from './syntax.js';

export const isTruthy = (value: ScriptValue): boolean => Boolean(value);

export const typeOf = (value: ScriptValue): string => {
  if (value instanceof ScriptFunction) return 'function';
  return typeof value;
};

const showForeign = (value: Value): string => {
  if (value instanceof ObjectIdValue) return `ObjectId("${value.hex}")`;
  if (value instanceof DateValue) return isoDate(value.ms);
  return isDoc(value) ? '[object Object]' : show(value);
};

export const textOf = (value: ScriptValue, budget: Budget): string => {
  budget.spend();
  if (typeof value === 'string') return value;
  if (value instanceof ScriptArray) return joined(value, budget);
  if (value instanceof ScriptObject || value instanceof Namespace) return '[object Object]';
  if (value instanceof ScriptFunction) return `function ${value.name}() { [code] }`;
  if (value instanceof Foreign) return budget.text(showForeign(value.value));
  return String(value);
};

/** Joins elements with commas, as JavaScript converts an array to a string. */
const joined = (array: ScriptArray, budget: Budget): string => {
  budget.enter();
  let text = '';
  for (const [i, item] of array.items.entries()) {
    const shown = item === undefined || item === null ? '' : textOf(item, budget);
    text = budget.text(i === 0 ? shown : `${text},${shown}`);
  }
  budget.leave();
  return text;
};

/** Converts an object to a primitive value, where a number or a string is needed. */
const primitiveOf = (value: ScriptValue, budget: Budget): undefined | null | boolean | number | string => {
  if (value instanceof Foreign && isNumber(value.value)) return toDouble(value.value);
  return typeof value === 'object' && value !== null ? textOf(value, budget) : value;
};

export const numberOf = (value: ScriptValue, budget: Budget): number => {
  if (value instanceof Foreign && value.value instanceof DateValue) return value.value.ms;
  return Number(primitiveOf(value, budget));
};

/** `==`: values of different types are converted to numbers, and objects to primitive values. */
const looselyEqual = (left: ScriptValue, right: ScriptValue, budget: Budget): boolean => {
  if (left === undefined || left === null || right === undefined || right === null) {
    return (left ?? null) === (right ?? null);
  }
  if (typeof left === typeof right) return left === right;
  const [a, b] = [primitiveOf(left, budget), primitiveOf(right, budget)];
  return typeof a === typeof b ? a === b : Number(a) === Number(b);
};

const isDate = (value: ScriptValue): boolean => value instanceof Foreign && value.value instanceof DateValue;

const compared = (
  left: ScriptValue,
  right: ScriptValue,
  budget: Budget,
  holds: (a: number | string, b: number | string) => boolean,
): boolean => {
  const isText = (value: ScriptValue): boolean => typeof primitiveOf(value, budget) === 'string' && !isDate(value);
  if (isText(left) && isText(right)) {
    return holds(primitiveOf(left, budget) as string, primitiveOf(right, budget) as string);
  }
  return holds(numberOf(left, budget), numberOf(right, budget));
};

const sum = (left: ScriptValue, right: ScriptValue, budget: Budget): ScriptValue => {
  const [a, b] = [primitiveOf(left, budget), primitiveOf(right, budget)];
  return typeof a === 'string' || typeof b === 'string' ? budget.text(`${a}${b}`) : Number(a) + Number(b);
};

/** Applies an operator with JavaScript's conversions. */
export const operate = (
  operator: BinaryOperator,
  left: ScriptValue,
  right: ScriptValue,
  budget: Budget,
): ScriptValue => {
  switch (operator) {
    case '+':
      return sum(left, right, budget);
    case '-':
      return numberOf(left, budget) - numberOf(right, budget);
    case '*':
      return numberOf(left, budget) * numberOf(right, budget);
    case '/':
      return numberOf(left, budget) / numberOf(right, budget);
    case '%':
      return numberOf(left, budget) % numberOf(right, budget);
    case '**':
      return numberOf(left, budget) ** numberOf(right, budget);
    case '===':
      return left === right;
    case '!==':
      return left !== right;
    case '==':
      return looselyEqual(left, right, budget);
    case '!=':
      return !looselyEqual(left, right, budget);
    case '<':
      return compared(left, right, budget, (a, b) => a < b);
    case '<=':
      return compared(left, right, budget, (a, b) => a <= b);
    case '>':
      return compared(left, right, budget, (a, b) => a > b);
    case '>=':
      return compared(left, right, budget, (a, b) => a >= b);
  }
};

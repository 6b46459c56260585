import type { Budget } from './budget.js';
import { failure, supportedJavaScript } from './failure.js';
import { numberOf, operate, textOf, isTruthy } from './operators.js';
import { Namespace, ScriptArray, ScriptFunction, ScriptObject } from './script-value.js';
import type { ScriptValue } from './script-value.js';

/** Properties that would give a script access to the host's JavaScript engine. */
const forbidden: ReadonlySet<string> = new Set([
  ...['__proto__', 'constructor', 'prototype', 'caller', 'callee', 'arguments'],
  ...['__defineGetter__', '__defineSetter__', '__lookupGetter__', '__lookupSetter__'],
]);

const checkName = (name: string): void => {
  if (forbidden.has(name)) throw failure('TypeError', `the property "${name}" is not available in the embedded server`);
};

/** @throws CommandError 139 if the value is not a function */
export const callableOf = (value: ScriptValue, what: string): ScriptFunction => {
  if (value instanceof ScriptFunction) return value;
  throw failure(
    'TypeError',
    `${what} is not a function. The embedded server runs a subset of JavaScript: ${supportedJavaScript}`,
  );
};

type Given = readonly ScriptValue[];
type Method<T> = (self: T, given: Given, budget: Budget) => ScriptValue;

/** Calls the callback for each element, with the value that it has at that time. */
const each = (
  self: ScriptArray,
  [callback, thisArgument]: Given,
  budget: Budget,
  take: (result: ScriptValue, item: ScriptValue) => void,
): void => {
  const { call } = callableOf(callback, 'the callback');
  const count = self.items.length;
  for (let i = 0; i < count && i < self.items.length; i++) {
    budget.spend();
    const item = self.items[i];
    take(call(thisArgument, [item, i, self], budget), item);
  }
};

const reduce: Method<ScriptArray> = (self, given, budget) => {
  const { call } = callableOf(given[0], 'the callback');
  const { items } = self;
  if (items.length === 0 && given.length < 2) throw failure('TypeError', 'reduce of empty array with no initial value');
  let i = given.length < 2 ? 1 : 0;
  let result = given.length < 2 ? items[0] : given[1];
  for (const count = items.length; i < count && i < items.length; i++) {
    budget.spend();
    result = call(undefined, [result, items[i], i, self], budget);
  }
  return result;
};

const startOf = (given: ScriptValue, length: number, budget: Budget): number => {
  const from = Math.trunc(numberOf(given ?? 0, budget)) || 0;
  return from < 0 ? Math.max(length + from, 0) : from;
};

const arrayMethods: Readonly<Record<string, Method<ScriptArray>>> = {
  reduce,
  map: (self, given, budget) => {
    const items: ScriptValue[] = [];
    each(self, given, budget, result => void items.push(result));
    return new ScriptArray(items);
  },
  filter: (self, given, budget) => {
    const items: ScriptValue[] = [];
    each(self, given, budget, (result, item) => {
      if (isTruthy(result)) items.push(item);
    });
    return new ScriptArray(items);
  },
  forEach: (self, given, budget) => {
    each(self, given, budget, () => undefined);
    return undefined;
  },
  push: (self, given, budget) => {
    budget.spend(given.length);
    for (const item of given) self.items.push(item);
    return self.items.length;
  },
  indexOf: (self, [sought, from], budget) => {
    budget.spend(self.items.length);
    return self.items.indexOf(sought, startOf(from, self.items.length, budget));
  },
};

const stringMethods: Readonly<Record<string, Method<string>>> = {
  indexOf: (self, [sought, from], budget) => {
    budget.spend(self.length >>> 8);
    return self.indexOf(textOf(sought, budget), Math.trunc(numberOf(from ?? 0, budget)) || 0);
  },
  startsWith: (self, [sought, from], budget) =>
    self.startsWith(textOf(sought, budget), Math.trunc(numberOf(from ?? 0, budget)) || 0),
};

const asFunctions = <T>(
  methods: Readonly<Record<string, Method<T>>>,
  isSelf: (value: ScriptValue) => boolean,
  type: string,
): ReadonlyMap<string, ScriptFunction> =>
  new Map(
    Object.entries(methods).map(([name, method]) => [
      name,
      new ScriptFunction(name, (self, given, budget) => {
        if (!isSelf(self)) throw failure('TypeError', `${name} called on a value that is not ${type}`);
        return method(self as T, given, budget);
      }),
    ]),
  );

const ofArrays = asFunctions(arrayMethods, value => value instanceof ScriptArray, 'an array');
const ofStrings = asFunctions(stringMethods, value => typeof value === 'string', 'a string');

const isIndex = (name: string): boolean => /^(?:0|[1-9]\d{0,9})$/.test(name);

/**
 * Returns a property, or undefined if it does not exist.
 * @throws CommandError 139 for undefined, null, or a forbidden property
 */
export const memberOf = (object: ScriptValue, key: ScriptValue, budget: Budget): ScriptValue => {
  const name = textOf(key, budget);
  checkName(name);
  if (object === undefined || object === null) {
    throw failure('TypeError', `can't access property "${name}" of ${String(object)}`);
  }
  if (object instanceof ScriptObject) return object.fields.get(name);
  if (object instanceof ScriptArray) {
    if (name === 'length') return object.items.length;
    return isIndex(name) ? object.items[Number(name)] : ofArrays.get(name);
  }
  if (typeof object === 'string') {
    if (name === 'length') return object.length;
    return isIndex(name) ? object[Number(name)] : ofStrings.get(name);
  }
  return object instanceof Namespace ? object.members.get(name) : undefined;
};

/**
 * Sets a property.
 * @throws CommandError 139 for a value whose properties cannot be set
 */
export const setMember = (object: ScriptValue, key: ScriptValue, value: ScriptValue, budget: Budget): void => {
  const name = textOf(key, budget);
  checkName(name);
  if (object instanceof ScriptObject) {
    object.fields.set(name, value);
    return;
  }
  // Arrays have no holes: an assignment can only append the next element.
  if (object instanceof ScriptArray && isIndex(name) && Number(name) <= object.items.length) {
    object.items[Number(name)] = value;
    return;
  }
  const target = object instanceof ScriptArray ? 'an array, beyond its end' : textOf(object, budget);
  throw failure('TypeError', `cannot set property "${name}" of ${target}`);
};

const numeric = (name: string, compute: (...numbers: readonly number[]) => number): ScriptFunction =>
  new ScriptFunction(name, (_self, given, budget) => {
    budget.spend(given.length);
    return compute(...given.map(value => numberOf(value, budget)));
  });

const ofOneNumber: Readonly<Record<string, (x: number) => number>> = {
  abs: Math.abs,
  acos: Math.acos,
  asin: Math.asin,
  atan: Math.atan,
  cbrt: Math.cbrt,
  ceil: Math.ceil,
  cos: Math.cos,
  exp: Math.exp,
  floor: Math.floor,
  log: Math.log,
  log10: Math.log10,
  log2: Math.log2,
  round: Math.round,
  sign: Math.sign,
  sin: Math.sin,
  sqrt: Math.sqrt,
  tan: Math.tan,
  trunc: Math.trunc,
};

/** `Math` without `random`. */
const math = new Namespace([
  ...Object.entries(ofOneNumber).map(([name, compute]) => [name, numeric(name, (x = NaN) => compute(x))] as const),
  ['min', numeric('min', (...all) => Math.min(...all))],
  ['max', numeric('max', (...all) => Math.max(...all))],
  ['pow', numeric('pow', (x = NaN, y = NaN) => x ** y)],
  ['PI', Math.PI],
  ['E', Math.E],
]);

/** `Array.sum`, which MongoDB adds. */
const arraySum = new ScriptFunction('sum', (_self, [array], budget) => {
  if (!(array instanceof ScriptArray)) throw failure('TypeError', 'Array.sum needs an array');
  const [first, ...rest] = array.items;
  return rest.reduce<ScriptValue>(
    (total, item) => {
      budget.spend();
      return operate('+', total, item, budget);
    },
    array.items.length === 0 ? 0 : first,
  );
});

const objectKeys = new ScriptFunction('keys', (_self, [object], budget) => {
  if (!(object instanceof ScriptObject)) throw failure('TypeError', 'Object.keys needs an object');
  budget.spend(object.fields.size);
  return new ScriptArray([...object.fields.keys()]);
});

const sleep = new ScriptFunction('sleep', (_self, [duration], budget) => {
  budget.sleep(Math.max(numberOf(duration, budget) || 0, 0));
  return undefined;
});

/** The names that every script can use. */
export const globals: ReadonlyMap<string, ScriptValue> = new Map<string, ScriptValue>([
  ['undefined', undefined],
  ['NaN', NaN],
  ['Infinity', Infinity],
  ['Math', math],
  ['Array', new Namespace([['sum', arraySum]])],
  ['Object', new Namespace([['keys', objectKeys]])],
  ['sleep', sleep],
]);

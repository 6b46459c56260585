import { fail } from '../errors.js';
import type { Collation } from '../value/compare.js';
import { equal, hashKey } from '../value/compare.js';
import { Doc, type Entry } from '../value/doc.js';
import { toDouble } from '../value/numbers.js';
import type { NumberValue, Value } from '../value/value.js';
import { isArray, isDoc, isNullish, isNumber, typeName } from '../value/value.js';
import { spend } from '../work/meter.js';
import { count, exactInt, formatDouble, isTrue, print } from './coerce.js';
import type { Expression, Operator, Operators, Parser } from './expression.js';
import { computed } from './expression.js';
import { binary, namedArguments, ranged, unary, variadic } from './operator.js';

type Maybe = Value | undefined;

const at = (array: readonly Value[], index: number): Maybe => array[index < 0 ? array.length + index : index];

const int32 = (value: NumberValue, code: number, message: string): number => {
  const int = exactInt(value);
  if (int === undefined) throw fail(code, `${message}: ${formatDouble(toDouble(value))}`);
  return int;
};

const arrayElemAt = binary((array, index, name) => {
  if (isNullish(array) || isNullish(index)) return null;
  if (!isArray(array)) throw fail(28689, `${name}'s first argument must be an array, but is ${typeName(array)}`);
  if (!isNumber(index)) {
    throw fail(28690, `${name}'s second argument must be a numeric value, but is ${typeName(index)}`);
  }
  return at(array, int32(index, 28691, `${name}'s second argument must be representable as a 32-bit integer`));
});

const elementAt = (index: number): Operator =>
  unary((array, name) => {
    if (isNullish(array)) return null;
    if (!isArray(array)) throw fail(28689, `${name}'s argument must be an array, but is ${typeName(array)}`);
    return at(array, index);
  });

const requireKey = (key: string, code: number): string => {
  if (key.includes('\0')) throw fail(code, 'Key field cannot contain an embedded null byte');
  return key;
};

const pairOf = (item: Value): Entry => {
  const consistent = '$arrayToObject requires a consistent input format. Elements mustall be arrays or all be objects.';
  if (!isArray(item)) throw fail(40396, `${consistent} Array was detected, now found: ${typeName(item)}`);
  if (item.length !== 2) {
    throw fail(40397, `$arrayToObject requires an array of size 2 arrays,found array of size: ${item.length}`);
  }
  const [key, value] = item as readonly [Value, Value];
  if (typeof key === 'string') return [requireKey(key, 4940400), value];
  throw fail(
    40395,
    `$arrayToObject requires an array of key-value pairs, where the key must be of type string. Found key type: ${typeName(key)}`,
  );
};

const fieldOf = (item: Value): Entry => {
  const consistent = '$arrayToObject requires a consistent input format. Elements mustall be arrays or all be objects.';
  if (!isDoc(item)) throw fail(40391, `${consistent} Object was detected, now found: ${typeName(item)}`);
  if (item.size !== 2) {
    throw fail(
      40392,
      `$arrayToObject requires an object keys of 'k' and 'v'. Found incorrect number of keys:${item.size}`,
    );
  }
  const key = item.get('k');
  const value = item.get('v');
  if (key === undefined || value === undefined) {
    throw fail(
      40393,
      `$arrayToObject requires an object with keys 'k' and 'v'. Missing either or both keys from: ${print(item)}`,
    );
  }
  if (typeof key === 'string') return [requireKey(key, 4940401), value];
  throw fail(
    40394,
    `$arrayToObject requires an object with keys 'k' and 'v', where the value of 'k' must be of type string. Found type: ${typeName(key)}`,
  );
};

const arrayToObject = unary(array => {
  if (isNullish(array)) return null;
  if (!isArray(array)) throw fail(40386, `$arrayToObject requires an array input, found: ${typeName(array)}`);
  const first = array[0];
  if (first === undefined) return Doc.EMPTY;
  spend(4 * array.length);
  if (!isArray(first) && !isDoc(first)) {
    throw fail(40398, `Unrecognised input type format for $arrayToObject: ${typeName(first)}`);
  }
  // If several pairs have the same key, the last value is placed at the position of the first.
  return Doc.of(new Map(array.map(isArray(first) ? pairOf : fieldOf)));
});

/** mongod's limit of 100 MiB at 16 bytes per value. */
const maxElements = 6_553_600;

const tooMuch = (name: string, length: number): Error =>
  fail(
    146,
    `${name} would use too much memory (${length * 16} bytes) and cannot spill to disk. Memory limit: ${maxElements * 16} bytes`,
  );

const concatArrays = variadic(operands => scope => {
  const all: Value[] = [];
  for (const operand of operands) {
    const value = operand.evaluate(scope);
    if (isNullish(value)) return null;
    if (!isArray(value)) throw fail(28664, `$concatArrays only supports arrays, not ${typeName(value)}`);
    if (all.length + value.length > maxElements) throw tooMuch('$concatArrays', all.length + value.length);
    spend(value.length >>> 2);
    for (const item of value) all.push(item);
  }
  return all;
});

const contains = (collation: Collation | undefined): Operator =>
  binary((sought, array) => {
    if (!isArray(array)) throw fail(40081, `$in requires an array as a second argument, found: ${typeName(array)}`);
    spend(array.length >>> 1);
    return array.some(item => equal(item, sought, collation));
  });

/** Returns the keys of a constant list, if the list is long enough for a set to be worthwhile. */
const constantKeys = (list: Expression, collation: Collation | undefined): ReadonlySet<string> | undefined =>
  list.kind === 'constant' && isArray(list.value) && list.value.length > 8
    ? new Set(list.value.map(item => hashKey(item, collation)))
    : undefined;

/** Creates `$in`. Long lists of constants are looked up in a set. */
const containsAny = (collation: Collation | undefined): Operator => {
  const plain = contains(collation);
  return (spec, parser, name) => {
    const operand = isArray(spec) && spec.length === 2 ? parser.operand(spec[1]!) : undefined;
    const keys = operand && constantKeys(operand, collation);
    if (keys === undefined) return plain(spec, parser, name);
    const sought = parser.operand((spec as readonly Value[])[0]!);
    return parser.fold([sought], scope => keys.has(hashKey(sought.evaluate(scope), collation)));
  };
};

const bound = (value: Maybe, name: string, what: string): number => {
  const int = isNumber(value) ? exactInt(value) : undefined;
  if (int === undefined) {
    throw fail(
      9711600,
      `${name}requires an integral ${what}, found a value of type: ${typeName(value)}, with value: ${print(value)}`,
    );
  }
  if (int < 0) throw fail(9711601, `${name} requires a nonnegative ${what}, found: ${int}`);
  return int;
};

const indexOfArray = (collation: Collation | undefined): Operator =>
  ranged(2, 4, (operands, name) => {
    const [array, sought] = operands;
    if (isNullish(array)) return null;
    if (!isArray(array))
      throw fail(40090, `$indexOfArray requires an array as a first argument, found: ${typeName(array)}`);
    const start = operands.length > 2 ? bound(operands[2], name, 'starting index') : 0;
    const end = operands.length > 3 ? Math.min(array.length, bound(operands[3], name, 'ending index')) : array.length;
    spend(Math.max(0, end - start) >>> 1);
    for (let i = start; i < end; i++) if (equal(array[i], sought, collation)) return i;
    return -1;
  });

const rangePart = (value: Maybe, what: string, article: string, code: number, gap = ' '): number => {
  if (!isNumber(value))
    throw fail(code, `$range requires a numeric ${what} value, found value of type:${gap}${typeName(value)}`);
  const int = exactInt(value);
  if (int !== undefined) return int;
  throw fail(
    code + 1,
    `$range requires ${article} ${what} value that can be represented as a 32-bit integer, found value: ${print(value)}`,
  );
};

const range = ranged(2, 3, operands => {
  const start = rangePart(operands[0], 'starting', 'a', 34443);
  const end = rangePart(operands[1], 'ending', 'an', 34445);
  const step = operands.length === 3 ? rangePart(operands[2], 'step', 'a', 34447, '') : 1;
  if (step === 0) throw fail(34449, '$range requires a non-zero step value');
  const length = Math.max(0, Math.ceil((end - start) / step));
  if (length > maxElements) throw tooMuch('$range', length);
  spend(length >>> 1);
  return Array.from({ length }, (_, i) => start + i * step);
});

const reverseArray = unary(array => {
  if (isNullish(array)) return null;
  if (isArray(array)) {
    spend(array.length);
    return array.toReversed();
  }
  throw fail(34435, `The argument to $reverseArray must be an array, but was of type: ${typeName(array)}`);
});

const size = unary(array => {
  if (isArray(array)) return count(array.length);
  throw fail(17124, `The argument to $size must be an array, but was of type: ${typeName(array)}`);
});

const part = (array: readonly Value[], start: number, end?: number): readonly Value[] => {
  const taken = array.slice(start, end);
  spend(taken.length);
  return taken;
};

const slice = ranged(2, 3, operands => {
  const [array, second, third] = operands;
  if (isNullish(array) || isNullish(second)) return null;
  if (!isArray(array))
    throw fail(28724, `First argument to $slice must be an array, but is of type: ${typeName(array)}`);
  if (!isNumber(second)) {
    throw fail(28725, `Second argument to $slice must be a numeric value, but is of type: ${typeName(second)}`);
  }
  const n = int32(second, 28726, `Second argument to $slice can't be represented as a 32-bit integer`);
  if (operands.length === 2) return n >= 0 ? part(array, 0, n) : part(array, n);
  if (isNullish(third)) return null;
  if (!isNumber(third))
    throw fail(28727, `Third argument to $slice must be numeric, but is of type: ${typeName(third)}`);
  const length = int32(third, 28728, `Third argument to $slice can't be represented as a 32-bit integer`);
  if (length <= 0) throw fail(28729, `Third argument to $slice must be positive: ${length}`);
  const start = n < 0 ? Math.max(0, array.length + n) : n;
  return part(array, start, start + length);
});

interface Zip {
  readonly inputs: readonly Expression[];
  readonly defaults: readonly Expression[];
  readonly longest: boolean;
}

const zipOperands = (value: Value | undefined, field: string, code: number, parser: Parser): readonly Expression[] => {
  if (value === undefined) return [];
  if (!isArray(value)) throw fail(code, `${field} must be an array of expressions, found ${typeName(value)}`);
  return value.map(item => parser.operand(item));
};

const parseZip = (spec: Value, parser: Parser): Zip => {
  const named = namedArguments(spec, {
    fields: ['inputs', 'defaults', 'useLongestLength'],
    notObject: found => fail(34460, `$zip only supports an object as an argument, found ${typeName(found)}`),
    unknown: field => fail(34464, `$zip found an unknown argument: ${field}`),
  });
  const longest = named.get('useLongestLength') ?? false;
  const inputs = zipOperands(named.get('inputs'), 'inputs', 34461, parser);
  const defaults = zipOperands(named.get('defaults'), 'defaults', 34462, parser);
  if (typeof longest !== 'boolean') throw fail(34463, `useLongestLength must be a bool, found ${typeName(longest)}`);
  if (inputs.length === 0) throw fail(34465, '$zip requires at least one input array');
  if (defaults.length > 0 && !longest) throw fail(34466, 'cannot specify defaults unless useLongestLength is true');
  if (defaults.length > 0 && defaults.length !== inputs.length) {
    throw fail(34467, 'defaults and inputs must have the same length');
  }
  return { inputs, defaults, longest };
};

const zip: Operator = (spec, parser) => {
  const { inputs, defaults, longest } = parseZip(spec, parser);
  return computed(scope => {
    const arrays: (readonly Value[])[] = [];
    for (const input of inputs) {
      const value = input.evaluate(scope);
      if (isNullish(value)) return null;
      if (!isArray(value)) throw fail(34468, `$zip found a non-array expression in input: ${print(value)}`);
      arrays.push(value);
    }
    const lengths = arrays.map(array => array.length);
    const length = lengths.reduce((a, b) => (longest ? Math.max(a, b) : Math.min(a, b)));
    if (length * arrays.length > maxElements) throw tooMuch('$zip', length * arrays.length);
    spend(2 * length * (1 + arrays.length));
    const fill = defaults.map(item => item.evaluate(scope) ?? null);
    return Array.from({ length }, (_, row) =>
      arrays.map((array, i) => (row < array.length ? array[row]! : (fill[i] ?? null))),
    );
  });
};

const truth = (code: number, decide: (array: readonly Value[]) => boolean): Operator =>
  unary((array, name) => {
    if (!isArray(array)) throw fail(code, `${name}'s argument must be an array, but is ${typeName(array)}`);
    spend(array.length >>> 2);
    return decide(array);
  });

export const arrayOperators = (collation: Collation | undefined): Operators =>
  new Map([
    ['$allElementsTrue', truth(17040, array => array.every(isTrue))],
    ['$anyElementTrue', truth(17041, array => array.some(isTrue))],
    ['$arrayElemAt', arrayElemAt],
    ['$arrayToObject', arrayToObject],
    ['$concatArrays', concatArrays],
    ['$first', elementAt(0)],
    ['$in', containsAny(collation)],
    ['$indexOfArray', indexOfArray(collation)],
    ['$isArray', unary(isArray)],
    ['$last', elementAt(-1)],
    ['$range', range],
    ['$reverseArray', reverseArray],
    ['$size', size],
    ['$slice', slice],
    ['$zip', zip],
  ]);

import { fail } from '../errors.js';
import type { Collation } from '../value/compare.js';
import { compare } from '../value/compare.js';
import type { Value } from '../value/value.js';
import { isArray, isNullish, typeName } from '../value/value.js';
import { spend, stepsOfSorting } from '../work/meter.js';
import type { Operator, Operators } from './expression.js';
import { quickKey } from './key-map.js';
import { binary, operandsOf, variadic } from './operator.js';

/** Returns the set operators. Strings are compared by the collation, if there is one. */
export const setOperators = (collation: Collation | undefined): Operators => {
  const keyOf = (value: Value): string | number => quickKey(value, collation);
  const keysOf = (array: readonly Value[]): Set<string | number> => {
    spend(3 * array.length);
    return new Set(array.map(keyOf));
  };
  const sorted = (values: Iterable<Value>): readonly Value[] => {
    const all = [...values];
    spend(stepsOfSorting(all.length));
    return all.sort((a, b) => compare(a, b, collation));
  };

  const difference = binary((a, b) => {
    if (isNullish(a) || isNullish(b)) return null;
    const must = 'both operands of $setDifference must be arrays.';
    if (!isArray(a)) throw fail(17048, `${must} First argument is of type: ${typeName(a)}`);
    if (!isArray(b)) throw fail(17049, `${must} Second argument is of type: ${typeName(b)}`);
    const seen = keysOf(b);
    spend(2 * a.length);
    return a.filter(item => seen.size !== seen.add(keyOf(item)).size);
  });

  const equals: Operator = (spec, parser) => {
    const operands = operandsOf(spec, parser);
    if (operands.length < 2) throw fail(17045, `$setEquals needs at least two arguments had: ${operands.length}`);
    return parser.fold(operands, scope => {
      const sets = operands.map((operand, i) => {
        const value = operand.evaluate(scope);
        if (isArray(value)) return keysOf(value);
        const code = operand.kind === 'constant' ? 5887502 : 17044;
        throw fail(
          code,
          `All operands of $setEquals must be arrays. ${i + 1}-th argument is of type: ${typeName(value)}`,
        );
      });
      const [first] = sets;
      return sets.every(set => set.size === first!.size && [...set].every(key => first!.has(key)));
    });
  };

  const intersection = variadic(operands => scope => {
    let common: Map<string | number, Value> | undefined;
    for (const operand of operands) {
      const value = operand.evaluate(scope);
      if (isNullish(value)) return null;
      if (!isArray(value)) {
        throw fail(
          17047,
          `All operands of $setIntersection must be arrays. One argument is of type: ${typeName(value)}`,
        );
      }
      spend(2 * value.length);
      if (common === undefined) common = new Map(value.map(item => [keyOf(item), item]));
      else {
        const keys = keysOf(value);
        for (const key of common.keys()) if (!keys.has(key)) common.delete(key);
      }
    }
    return sorted(common?.values() ?? []);
  });

  const isSubset = binary((a, b) => {
    const must = 'both operands of $setIsSubset must be arrays.';
    if (!isArray(a)) throw fail(17046, `${must} First argument is of type: ${typeName(a)}`);
    if (!isArray(b)) throw fail(17042, `${must} Second argument is of type: ${typeName(b)}`);
    const keys = keysOf(b);
    return a.every(item => keys.has(keyOf(item)));
  });

  const union = variadic(operands => scope => {
    const all = new Map<string | number, Value>();
    for (const operand of operands) {
      const value = operand.evaluate(scope);
      if (isNullish(value)) return null;
      if (!isArray(value)) {
        throw fail(17043, `All operands of $setUnion must be arrays. One argument is of type: ${typeName(value)}`);
      }
      spend(3 * value.length);
      for (const item of value) {
        const key = keyOf(item);
        if (!all.has(key)) all.set(key, item);
      }
    }
    return sorted(all.values());
  });

  return new Map([
    ['$setDifference', difference],
    ['$setEquals', equals],
    ['$setIntersection', intersection],
    ['$setIsSubset', isSubset],
    ['$setUnion', union],
  ]);
};

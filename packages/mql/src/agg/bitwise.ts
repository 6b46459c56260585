import { fail } from '../errors.js';
import type { Value } from '../value/value.js';
import { isNullish, isNumber, typeName } from '../value/value.js';
import type { Operator, Operators } from './expression.js';
import { unary, variadic } from './operator.js';

const gathering = (start: bigint, join: (a: bigint, b: bigint) => bigint): Operator =>
  variadic((operands, name) => scope => {
    let result = start;
    let long = false;
    for (const operand of operands) {
      const value = operand.evaluate(scope);
      if (isNullish(value)) return null;
      if (typeof value !== 'number' && typeof value !== 'bigint') {
        throw fail('TypeMismatch', `${name} only supports int and long operands.`);
      }
      if (typeof value === 'bigint') long = true;
      result = join(result, BigInt(value));
    }
    return long ? result : Number(result);
  });

const bitNot = unary((a: Value | undefined): Value => {
  if (isNullish(a)) return null;
  if (typeof a === 'number') return ~a;
  if (typeof a === 'bigint') return ~a;
  if (isNumber(a)) throw fail('TypeMismatch', `$bitNot only supports int and long, not: ${typeName(a)}.`);
  throw fail(28765, `$bitNot only supports numeric types, not ${typeName(a)}`);
});

export const bitwiseOperators: Operators = new Map([
  ['$bitAnd', gathering(-1n, (a, b) => a & b)],
  ['$bitNot', bitNot],
  ['$bitOr', gathering(0n, (a, b) => a | b)],
  ['$bitXor', gathering(0n, (a, b) => a ^ b)],
]);

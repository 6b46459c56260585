import { fail } from '../errors.js';
import { toDouble } from '../value/numbers.js';
import type { Value } from '../value/value.js';
import { double, isArray, isDoc, isNumber, typeName } from '../value/value.js';
import { spend, stepsOfSorting } from '../work/meter.js';
import { ValueAccumulator } from './accumulator.js';
import { print } from './coerce.js';
import type { Evaluate, Expression, Parser } from './expression.js';
import { showField } from './operator.js';

/**
 * Returns the index of a percentile among sorted numbers. Percentiles are always one of the numbers, never
 * interpolated.
 */
export const rankOf = (count: number, p: number): number => Math.min(Math.max(0, Math.ceil(count * p) - 1), count - 1);

/** Collects the numbers among values and returns percentiles of them, which are never interpolated. */
export class Ranking {
  readonly #numbers: number[] = [];
  #sorted = true;

  add(value: Value | undefined): void {
    if (!isNumber(value)) return;
    const n = toDouble(value);
    if (Number.isNaN(n)) return;
    this.#numbers.push(n);
    this.#sorted = false;
  }

  at(p: number): Value {
    const numbers = this.#numbers;
    if (numbers.length === 0) return null;
    if (!this.#sorted) {
      spend(stepsOfSorting(numbers.length));
      numbers.sort((a, b) => a - b);
      this.#sorted = true;
    }
    return double(numbers[rankOf(numbers.length, p)]!);
  }
}

export class Percentiles extends ValueAccumulator {
  readonly #ranking = new Ranking();
  readonly #wanted: readonly number[];

  constructor(input: Evaluate, wanted: readonly number[]) {
    super(input);
    this.#wanted = wanted;
  }

  take(value: Value | undefined): void {
    this.#ranking.add(value);
    this.held += 8;
  }

  result(): Value {
    return this.#wanted.map(p => this.#ranking.at(p));
  }
}

export class Median extends ValueAccumulator {
  readonly #ranking = new Ranking();

  take(value: Value | undefined): void {
    this.#ranking.add(value);
    this.held += 8;
  }

  result(): Value {
    return this.#ranking.at(0.5);
  }
}

const requireMethod = (method: Value | undefined, name: string): void => {
  if (method === undefined)
    throw fail('IDLFailedToParse', `BSON field '${name}.method' is missing but a required field`);
  if (typeof method !== 'string')
    throw fail(
      'TypeMismatch',
      `BSON field '${name}.method' is the wrong type '${typeName(method)}', expected type 'string'`,
    );
  if (method === 'approximate') return;
  throw fail('BadValue', `Currently only 'approximate' can be used as percentile 'method'.`);
};

/**
 * Reads the percentiles `p`.
 * @throws CommandError 7750300 … 7750303
 */
const wantedOf = (p: Value | undefined, parser: Parser): readonly number[] => {
  if (p === undefined) throw fail('IDLFailedToParse', `BSON field '$percentile.p' is missing but a required field`);
  const operand = parser.operand(p);
  const must = `The $percentile 'p' field must be an array of numbers from [0.0, 1.0], but found`;
  if (operand.kind !== 'constant' || !isArray(operand.value) || operand.value.length === 0) {
    throw fail(7750301, `${must}: ${operand.kind === 'constant' ? print(operand.value) : 'a non-constant expression'}`);
  }
  return operand.value.map(item => {
    if (!isNumber(item)) throw fail(7750302, `${must}: ${print(item)}`);
    const n = toDouble(item);
    if (!(n >= 0 && n <= 1)) throw fail(7750303, `${must}: ${print(item)}`);
    return n;
  });
};

export interface PercentileArguments {
  readonly input: Expression;
  readonly wanted: readonly number[];
}

/**
 * Compiles `{ input, method }` of `$median` or `{ input, method, p }` of `$percentile`.
 * @throws CommandError if an argument is invalid
 */
export const percentileArguments = (
  spec: Value,
  parser: Parser,
  name: '$median' | '$percentile',
  use: 'accumulator' | 'expression' = 'accumulator',
): PercentileArguments => {
  const median = name === '$median';
  if (!isDoc(spec)) {
    const code = use === 'expression' ? (median ? 7436201 : 7436200) : median ? 7436100 : 7429703;
    throw fail(code, `specification must be an object; found ${showField(name, spec)}`);
  }
  for (const key of spec.keys()) {
    const known = key === 'input' || key === 'method' || (key === 'p' && !median);
    if (!known) throw fail('IDLUnknownField', `BSON field '${name}.${key}' is an unknown field.`);
  }
  const input = spec.get('input');
  if (input === undefined) throw fail('IDLFailedToParse', `BSON field '${name}.input' is missing but a required field`);
  requireMethod(spec.get('method'), name);
  return { input: parser.operand(input), wanted: median ? [0.5] : wantedOf(spec.get('p'), parser) };
};

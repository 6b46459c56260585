import { fail } from '../errors.js';
import type { Value } from '../value/value.js';
import { isArray, isDoc, isNullish, isNumber, typeName } from '../value/value.js';
import { spend } from '../work/meter.js';
import { exactInt, isTrue, print } from './coerce.js';
import type { Expression, Operator, Operators, Parser } from './expression.js';
import { computed } from './expression.js';
import { requireDefinableName } from './names.js';
import type { Signature } from './operator.js';
import { namedArguments } from './operator.js';

const letOperator: Operator = (spec, parser) => {
  const named = namedArguments(spec, {
    fields: ['vars', 'in'],
    notObject: () => fail(16874, '$let only supports an object as its argument'),
    unknown: field => fail(16875, `Unrecognized parameter to $let: ${field}`),
  });
  const vars = named.get('vars');
  const body = named.get('in');
  if (vars === undefined) throw fail(16876, `Missing 'vars' parameter to $let`);
  if (body === undefined) throw fail(16877, `Missing 'in' parameter to $let`);
  if (!isDoc(vars)) throw fail(10065, `invalid parameter: expected an object (vars)`);
  const values = vars.entries().map(([, value]) => parser.operand(value));
  const variables = vars.keys();
  for (const name of variables) requireDefinableName(name);
  const { names, slots } = parser.names.with(variables);
  const inner = parser.naming(names).operand(body);
  return computed(scope => {
    // All values are evaluated in the outer scope before any variable is set.
    spend(values.length);
    const known = values.map(value => value.evaluate(scope));
    for (let i = 0; i < slots.length; i++) scope.slots[slots[i]!] = known[i];
    return inner.evaluate(scope);
  });
};

interface Binding {
  readonly input: Expression;
  readonly body: Expression;
  /** The slot of the variable that holds the element. */
  readonly slot: number;
  readonly named: ReadonlyMap<string, Value>;
}

/** Parses `input` with the outer variables, and binds the element under `as` or `this` for the body. */
const bindElement = (
  spec: Value,
  parser: Parser,
  bodyField: string,
  signature: Signature,
  codes: readonly [number, number],
  name: string,
): Binding => {
  const named = namedArguments(spec, signature);
  const input = named.get('input');
  const body = named.get(bodyField);
  if (input === undefined) throw fail(codes[0], `Missing 'input' parameter to ${name}`);
  if (body === undefined) throw fail(codes[1], `Missing '${bodyField}' parameter to ${name}`);
  const as = named.get('as') ?? 'this';
  const outer = parser.operand(input);
  const variable = typeof as === 'string' ? as : '';
  requireDefinableName(variable);
  const { names, slots } = parser.names.with([variable]);
  return { input: outer, body: parser.naming(names).operand(body), slot: slots[0]!, named };
};

const map: Operator = (spec, parser, name) => {
  const signature: Signature = {
    fields: ['input', 'as', 'in'],
    notObject: () => fail(16878, '$map only supports an object as its argument'),
    unknown: field => fail(16879, `Unrecognized parameter to $map: ${field}`),
  };
  const { input, body, slot } = bindElement(spec, parser, 'in', signature, [16880, 16882], name);
  return computed(scope => {
    const array = input.evaluate(scope);
    if (isNullish(array)) return null;
    if (!isArray(array)) throw fail(16883, `input to $map must be an array not ${typeName(array)}`);
    return array.map(item => {
      spend(1);
      scope.slots[slot] = item;
      return body.evaluate(scope) ?? null;
    });
  });
};

const filterLimit = (value: Value | undefined): number => {
  if (isNullish(value)) return Infinity;
  const limit = isNumber(value) ? exactInt(value) : undefined;
  if (limit === undefined) {
    throw fail(327391, `$filter: limit must be represented as a 32-bit integral value: ${print(value)}`);
  }
  if (limit <= 0) throw fail(327392, `$filter: limit must be greater than 0: ${limit}`);
  return limit;
};

const filter: Operator = (spec, parser, name) => {
  const signature: Signature = {
    fields: ['input', 'as', 'cond', 'limit'],
    notObject: () => fail(28646, '$filter only supports an object as its argument'),
    unknown: field => fail(28647, `Unrecognized parameter to $filter: ${field}`),
  };
  const { input, body, slot, named } = bindElement(spec, parser, 'cond', signature, [28648, 28650], name);
  const limitSpec = named.get('limit');
  const limit = limitSpec === undefined ? undefined : parser.operand(limitSpec);
  return computed(scope => {
    const array = input.evaluate(scope);
    if (isNullish(array)) return null;
    if (!isArray(array)) throw fail(28651, `input to $filter must be an array not ${typeName(array)}`);
    const most = filterLimit(limit?.evaluate(scope));
    const kept: Value[] = [];
    for (const item of array) {
      if (kept.length >= most) break;
      spend(1);
      scope.slots[slot] = item;
      if (isTrue(body.evaluate(scope))) kept.push(item);
    }
    return kept;
  });
};

const reduce: Operator = (spec, parser) => {
  const named = namedArguments(spec, {
    fields: ['input', 'initialValue', 'in'],
    notObject: found => fail(40075, `$reduce requires an object as an argument, found: ${typeName(found)}`),
    unknown: field => fail(40076, `$reduce found an unknown argument: ${field}`),
  });
  const [inputSpec, initialSpec, bodySpec] = ['input', 'initialValue', 'in'].map((field, i) => {
    const value = named.get(field);
    if (value === undefined) throw fail(40077 + i, `$reduce requires '${field}' to be specified`);
    return value;
  });
  const input = parser.operand(inputSpec!);
  const initial = parser.operand(initialSpec!);
  const { names, slots } = parser.names.with(['this', 'value']);
  const body = parser.naming(names).operand(bodySpec!);
  const [element, accumulated] = slots as [number, number];
  return computed(scope => {
    const array = input.evaluate(scope);
    if (isNullish(array)) return null;
    if (!isArray(array)) throw fail(40080, `$reduce requires that 'input' be an array, found: ${print(array)}`);
    let value = initial.evaluate(scope);
    for (const item of array) {
      spend(1);
      scope.slots[element] = item;
      scope.slots[accumulated] = value;
      value = body.evaluate(scope);
    }
    return value;
  });
};

/** The operators that bind variables. */
export const iterationOperators: Operators = new Map([
  ['$filter', filter],
  ['$let', letOperator],
  ['$map', map],
  ['$reduce', reduce],
]);

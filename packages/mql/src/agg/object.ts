import { fail } from '../errors.js';
import { Doc } from '../value/doc.js';
import type { Value } from '../value/value.js';
import { double, isDoc, isNullish, typeName } from '../value/value.js';
import { spend } from '../work/meter.js';
import { print } from './coerce.js';
import type { Expression, Operator, Operators, Parser } from './expression.js';
import { computed, constant } from './expression.js';
import { namedArguments, unary, variadic } from './operator.js';

const objectToArray = unary(object => {
  if (isNullish(object)) return null;
  if (!isDoc(object)) throw fail(40390, `$objectToArray requires a document input, found: ${typeName(object)}`);
  spend(8 * object.size);
  return object.entries().map(([k, v]) =>
    Doc.of([
      ['k', k],
      ['v', v],
    ]),
  );
});

/**
 * Adds the fields of a document.
 * @throws CommandError 40400
 */
export const mergeInto = (fields: Map<string, Value>, value: Value | undefined): void => {
  if (isNullish(value)) return;
  if (!isDoc(value)) {
    throw fail(40400, `$mergeObjects requires object inputs, but input ${print(value)} is of type ${typeName(value)}`);
  }
  spend(3 * value.size);
  for (const [key, item] of value) fields.set(key, item);
};

const mergeAll = (values: Iterable<Value | undefined>): Value => {
  const fields = new Map<string, Value>();
  for (const value of values) mergeInto(fields, value);
  return Doc.of(fields);
};

/** A single operand that is an array provides the documents to merge. */
const mergeObjects = variadic(operands => scope => {
  const values = operands.map(operand => operand.evaluate(scope));
  const [only] = values;
  return mergeAll(values.length === 1 && Array.isArray(only) ? (only as readonly Value[]) : values);
});

const isOperator = (spec: Doc): boolean => spec.size === 1 && spec.keys()[0]!.startsWith('$');

const getFieldArguments = (spec: Value, parser: Parser): { readonly field: Expression; readonly input: Expression } => {
  if (!isDoc(spec) || isOperator(spec)) return { field: parser.operand(spec), input: parser.operand('$$CURRENT') };
  const named = namedArguments(spec, {
    fields: ['field', 'input'],
    notObject: () => fail('InternalError', 'unreachable'),
    unknown: field => fail(3041701, `$getField found an unknown argument: ${field}`),
  });
  const field = named.get('field');
  const input = named.get('input');
  if (field === undefined) throw fail(3041702, `$getField requires 'field' to be specified`);
  if (input === undefined) throw fail(3041703, `$getField requires 'input' to be specified`);
  return { field: parser.operand(field), input: parser.operand(input) };
};

const notFieldName = (value: Value | undefined): Error =>
  fail(3041704, `$getField requires 'field' to evaluate to type String, but got ${typeName(value)}`);

const getField: Operator = (spec, parser) => {
  const { field, input } = getFieldArguments(spec, parser);
  if (field.kind === 'constant' && typeof field.value !== 'string') throw notFieldName(field.value);
  return parser.fold([field, input], scope => {
    const name = field.evaluate(scope);
    if (typeof name !== 'string') throw notFieldName(name);
    const value = input.evaluate(scope);
    if (isDoc(value)) return value.get(name);
    return value === undefined || !isNullish(value) ? undefined : null;
  });
};

/** Returns whether an expression is written as a constant. An expression that only folds to a constant is not. */
const isWrittenConstant = (spec: Value): boolean => {
  if (typeof spec === 'string') return !spec.startsWith('$');
  if (!isDoc(spec)) return !Array.isArray(spec);
  return spec.has('$const') || spec.has('$literal');
};

const constantName = (spec: Value, parser: Parser, name: string): string => {
  const field = parser.operand(spec);
  if (typeof spec === 'string' && spec.startsWith('$') && !spec.startsWith('$$')) {
    throw fail(
      4161108,
      `'${spec}' is a field path reference which is not allowed in this context. Did you mean {$literal: '${spec}'}?`,
    );
  }
  if (field.kind !== 'constant' || !isWrittenConstant(spec)) {
    throw fail(4161106, `${name} requires 'field' to evaluate to a constant, but got a non-constant argument`);
  }
  if (typeof field.value !== 'string') {
    throw fail(4161107, `${name} requires 'field' to evaluate to type String, but got ${typeName(field.value)}`);
  }
  if (field.value.includes('\0')) throw fail(9534700, `${name} requires 'field' to contain no null bytes`);
  return field.value;
};

const setting =
  (fields: readonly string[]): Operator =>
  (spec, parser, name) => {
    const named = namedArguments(spec, {
      fields,
      notObject: () => fail(4161100, `${name} only supports an object as its argument`),
      unknown: field => fail(4161101, `${name} found an unknown argument: ${field}`),
    });
    const [fieldSpec, inputSpec] = [named.get('field'), named.get('input')];
    const valueSpec = fields.includes('value') ? named.get('value') : null;
    if (fieldSpec === undefined) throw fail(4161102, `${name} requires 'field' to be specified`);
    if (valueSpec === undefined) throw fail(4161103, `${name} requires 'value' to be specified`);
    if (inputSpec === undefined) throw fail(4161109, `${name} requires 'input' to be specified`);
    const key = constantName(fieldSpec, parser, name);
    const input = parser.operand(inputSpec);
    const value = fields.includes('value') ? parser.operand(valueSpec) : constant(undefined);
    return parser.fold([input, value], scope => {
      const doc = input.evaluate(scope);
      if (isNullish(doc)) return null;
      if (!isDoc(doc)) throw fail(4161105, `${name} requires 'input' to evaluate to type Object`);
      const item = value.evaluate(scope);
      spend(doc.size);
      return item === undefined ? doc.without(key) : doc.with(key, item);
    });
  };

const bsonSize = unary(value => {
  if (isNullish(value)) return null;
  if (!isDoc(value)) throw fail(31393, `$bsonSize requires a document input, found: ${typeName(value)}`);
  spend(value.byteLength >>> 8);
  return value.byteLength;
});

const rand: Operator = (spec, _parser, name) => {
  if (!isDoc(spec) && !Array.isArray(spec)) throw fail(10065, `invalid parameter: expected an object (${name})`);
  const empty = isDoc(spec) ? spec.size === 0 : (spec as readonly Value[]).length === 0;
  if (!empty) throw fail(3040501, '$rand does not currently accept arguments');
  return computed(scope => {
    spend(3);
    return double(scope.ambience.random());
  });
};

export const objectOperators: Operators = new Map<string, Operator>([
  ['$bsonSize', bsonSize],
  ['$const', spec => constant(spec)],
  ['$expr', (spec, parser) => parser.operand(spec)],
  ['$getField', getField],
  ['$literal', spec => constant(spec)],
  ['$mergeObjects', mergeObjects],
  ['$objectToArray', objectToArray],
  ['$rand', rand],
  ['$setField', setting(['field', 'input', 'value'])],
  ['$unsetField', setting(['field', 'input'])],
]);

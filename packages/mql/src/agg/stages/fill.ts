import { fail } from '../../errors.js';
import type { Entry } from '../../value/doc.js';
import { Doc } from '../../value/doc.js';
import type { Value } from '../../value/value.js';
import { isArray, isDoc, typeName } from '../../value/value.js';
import type { StageParser } from '../stage.js';

const known = ['partitionBy', 'partitionByFields', 'sortBy', 'output'];

const requireKnown = (spec: Doc, fields: readonly string[]): void => {
  for (const key of spec.keys()) {
    if (!fields.includes(key)) throw fail('IDLUnknownField', `BSON field '$fill.${key}' is an unknown field.`);
  }
};

const wrongType = (name: string, value: Value, expected: string): Error =>
  fail('TypeMismatch', `BSON field '$fill.${name}' is the wrong type '${typeName(value)}', expected ${expected}`);

/** The fields to fill by window functions and by values. */
interface Filling {
  readonly windows: readonly Entry[];
  readonly values: readonly Entry[];
}

const windowOf = (name: string, method: Value): Entry => {
  if (typeof method !== 'string') throw wrongType('method', method, `type 'string'`);
  if (method !== 'locf' && method !== 'linear') throw fail(6050202, 'Method must be either locf or linear');
  return [name, Doc.of([[method === 'locf' ? '$locf' : '$linearFill', `$${name}`]])];
};

const readOutput = (output: Value | undefined): Filling => {
  if (output === undefined) throw fail('IDLFailedToParse', "BSON field '$fill.output' is missing but a required field");
  if (!isDoc(output)) throw wrongType('output', output, `type 'object'`);
  if (output.size === 0) {
    throw fail(6050203, "The output field in '$fill' must contain an object with at least one element");
  }
  const windows: Entry[] = [];
  const values: Entry[] = [];
  for (const [name, spec] of output) {
    if (!isDoc(spec)) {
      throw fail(6050200, 'Each fill output specification must be an object with exactly one field');
    }
    requireKnown(spec, ['method', 'value']);
    const [method, value] = [spec.get('method'), spec.get('value')];
    if (method !== undefined && value !== undefined) {
      throw fail(
        6050201,
        "Each fill output specification must have exactly one of 'method' or 'value' fields, not both",
      );
    }
    if (method !== undefined) windows.push(windowOf(name, method));
    if (value !== undefined) values.push([name, Doc.of([['$ifNull', [`$${name}`, value]]])]);
  }
  return { windows, values };
};

const readPartition = (spec: Doc): Value | undefined => {
  const [by, fields] = [spec.get('partitionBy'), spec.get('partitionByFields')];
  if (by !== undefined && typeof by !== 'string' && !isDoc(by)) {
    throw wrongType('partitionBy', by, "types '[string, object]'");
  }
  if (fields === undefined) return by;
  if (by !== undefined) {
    throw fail(6050204, "Maximum one of 'partitionBy' and 'partitionByFields can be specified in '$fill'");
  }
  if (!isArray(fields)) throw wrongType('partitionByFields', fields, `type 'array'`);
  return Doc.of(
    fields.map((name, i): Entry => {
      if (typeof name !== 'string') throw wrongType(`partitionByFields.${i}`, name, `type 'string'`);
      return [name, `$${name}`];
    }),
  );
};

/** Compiles `$fill` to `$setWindowFields` and `$addFields`. */
export const parseFill: StageParser = (spec, context) => {
  if (!isDoc(spec)) {
    throw fail('FailedToParse', `The $fill stage specification must be an object, found ${typeName(spec)}`);
  }
  requireKnown(spec, known);
  const { windows, values } = readOutput(spec.get('output'));
  const partitionBy = readPartition(spec);
  const sortBy = spec.get('sortBy');
  const window: Entry[] = [['output', Doc.of(windows)]];
  if (sortBy !== undefined) window.push(['sortBy', sortBy]);
  if (partitionBy !== undefined) window.push(['partitionBy', partitionBy]);
  return [
    ...(windows.length === 0 ? [] : context.stage('$setWindowFields', Doc.of(window))),
    ...(values.length === 0 ? [] : context.stage('$addFields', Doc.of(values))),
  ];
};

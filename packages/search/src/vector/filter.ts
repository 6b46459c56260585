import type { Document } from '@tessera/contracts';
import { invalid } from '../error.js';
import type { Scalar, ScalarKind } from '../values.js';
import { compareScalars, isDocument, scalarOf } from '../values.js';

/** The values of the filter fields of a document. */
export type FilterValues = ReadonlyMap<string, readonly Scalar[]>;

type Test = (values: FilterValues) => boolean;
type ValueTest = (values: readonly Scalar[]) => boolean;

const kinds: readonly ScalarKind[] = ['boolean', 'date', 'null', 'number', 'objectId', 'string', 'uuid'];

const operand = (value: unknown, path: string, operator: string): Scalar => {
  const scalar = scalarOf(value);
  if (scalar !== undefined) return scalar;
  throw invalid(`The operand of ${operator} on "${path}" in "filter" must be of type [${kinds.join(', ')}].`);
};

const operands = (value: unknown, path: string, operator: string): readonly Scalar[] => {
  if (!Array.isArray(value)) throw invalid(`The operand of ${operator} on "${path}" in "filter" must be an array.`);
  return value.map(item => operand(item, path, operator));
};

const isSame = (a: Scalar, b: Scalar): boolean => compareScalars(a, b) === 0;

const isAny =
  (wanted: readonly Scalar[]): ValueTest =>
  values =>
    values.some(value => wanted.some(each => isSame(value, each)));

const negated =
  (test: ValueTest): ValueTest =>
  values =>
    !test(values);

const comparing =
  (wanted: Scalar, accepts: (order: number) => boolean): ValueTest =>
  values =>
    values.some(value => value.kind === wanted.kind && accepts(compareScalars(value, wanted)));

const comparisons: Readonly<Record<string, (order: number) => boolean>> = {
  $gt: order => order > 0,
  $gte: order => order >= 0,
  $lt: order => order < 0,
  $lte: order => order <= 0,
};

const supported = '$eq, $ne, $gt, $gte, $lt, $lte, $in, $nin, $exists, $not, $and, $or, $nor';

const operatorTest = (path: string, operator: string, value: unknown): ValueTest => {
  const accepts = Object.hasOwn(comparisons, operator) ? comparisons[operator] : undefined;
  if (accepts !== undefined) return comparing(operand(value, path, operator), accepts);
  switch (operator) {
    case '$eq':
      return isAny([operand(value, path, operator)]);
    case '$ne':
      return negated(isAny([operand(value, path, operator)]));
    case '$in':
      return isAny(operands(value, path, operator));
    case '$nin':
      return negated(isAny(operands(value, path, operator)));
    case '$exists':
      if (typeof value !== 'boolean')
        throw invalid(`The operand of $exists on "${path}" in "filter" must be a boolean.`);
      return values => values.length > 0 === value;
    case '$not':
      if (!isDocument(value)) throw invalid(`The operand of $not on "${path}" in "filter" must be a document.`);
      return negated(fieldTest(path, value));
    default:
      throw invalid(
        `The operator ${operator} is not supported in "filter". The supported operators are: ${supported}.`,
      );
  }
};

const fieldTest = (path: string, condition: unknown): ValueTest => {
  if (!isDocument(condition)) return isAny([operand(condition, path, '$eq')]);
  const entries = Object.entries(condition);
  if (!entries.some(([name]) => name.startsWith('$'))) return isAny([operand(condition, path, '$eq')]);
  const tests = entries.map(([operator, value]) => operatorTest(path, operator, value));
  return values => tests.every(test => test(values));
};

const logical: Readonly<Record<string, (tests: readonly Test[]) => Test>> = {
  $and: tests => values => tests.every(test => test(values)),
  $or: tests => values => tests.some(test => test(values)),
  $nor: tests => values => !tests.some(test => test(values)),
};

const noValues: readonly Scalar[] = [];

/**
 * Parses the filter of `$vectorSearch`.
 * @param paths the fields of the type `filter`
 * @throws SearchError
 */
export const parseFilter = (filter: Document, paths: ReadonlySet<string>): Test => {
  const tests = Object.entries(filter).map(([name, condition]): Test => {
    const combine = Object.hasOwn(logical, name) ? logical[name] : undefined;
    if (combine !== undefined) {
      if (!Array.isArray(condition) || condition.length === 0 || !condition.every(isDocument))
        throw invalid(`${name} in "filter" must be a nonempty array of documents.`);
      return combine(condition.map(each => parseFilter(each, paths)));
    }
    if (name.startsWith('$'))
      throw invalid(`The operator ${name} is not supported in "filter". The supported operators are: ${supported}.`);
    if (!paths.has(name)) throw invalid(`Path '${name}' needs to be indexed as filter.`);
    const test = fieldTest(name, condition);
    return values => test(values.get(name) ?? noValues);
  });
  return values => tests.every(test => test(values));
};

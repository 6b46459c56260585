import type { Case } from '../operation.js';
import { crossesArray, hasArrayOn } from '../paths.js';
import { filtersOf, has, untypedNumber, withoutModified } from '../traits.js';
import type { Fields, Tree } from '../tree.js';
import { isArray, isDocument, isObject, operatorsIn, wrapperOf } from '../tree.js';

export const pipelineOf = (command: Fields): readonly Tree[] =>
  isArray(command['pipeline']) ? command['pipeline'] : [];

export const nameOfStage = (stage: Tree): string => (isDocument(stage) ? (Object.keys(stage)[0] ?? '') : '');

export const isUpdateByPipeline = (command: Fields): boolean =>
  isArray(command['update']) || has(command['updates'] ?? null, (value, name) => name === 'u' && isArray(value));

/** Names of queries and updates whose argument is a list. */
export const listed: ReadonlySet<string> = new Set([
  '$in',
  '$nin',
  '$and',
  '$or',
  '$nor',
  '$all',
  '$mod',
  '$type',
  '$each',
  '$pullAll',
  'updates',
  'deletes',
  'pipeline',
  'arrayFilters',
]);

/** Whether such a value is in what it filters by. */
export const filters = ({ operation }: Case, test: (tree: Tree, name: string | undefined) => boolean): boolean =>
  filtersOf(operation.command).some(filter => has(filter, test));

/** Whether a path that it filters by leads to an array or through one. */
export const filtersArrays = (met: Case): boolean =>
  filters(met, (_, name) => name?.startsWith('$') === false && hasArrayOn(met, name));

/** Whether what a stage groups by is an array in one of the documents. */
export const groupsByArrays = (met: Case): boolean =>
  has(
    met.operation.command,
    (value, name) =>
      (name === '$sortByCount' && reaches(met, value)) ||
      (name === '$group' && isDocument(value) && has(value['_id'] ?? null, key => reaches(met, key))) ||
      (name === 'groupBy' && reaches(met, value)),
  );

export const reaches = (met: Case, path: Tree): boolean =>
  typeof path === 'string' && path.startsWith('$') && hasArrayOn(met, path.slice(1));

export const withoutNulls = (tree: Tree): Tree =>
  isDocument(tree)
    ? Object.fromEntries(Object.entries(tree).filter(([, value]) => value !== null && value !== false))
    : tree;

/** Numbers to twelve digits, whatever their types. */
export const nearly = (tree: Tree): Tree => {
  const plain = untypedNumber(tree);
  return isObject(plain) && typeof plain['number'] === 'string'
    ? { number: Number(plain['number']).toPrecision(12) }
    : plain;
};

export const withoutUpserted = (tree: Tree): Tree =>
  isDocument(tree) && 'upserted' in tree ? { ...tree, upserted: null } : tree;

export const positional = ({ operation }: Case): boolean =>
  has(operation.command, (_, name) => name?.includes('.$') === true);

export const includedPaths = ({ operation: { command } }: Case): readonly string[] =>
  Object.keys((command['projection'] ?? command['fields'] ?? {}) as Fields).filter(path => path.includes('.'));

/** Whether one of the fields that it sorts by leads through an array or to one. */
export const sortsArrays = (met: Case): boolean => {
  const paths: string[] = [];
  has(met.operation.command, (value, name) => {
    if ((name === 'sort' || name === '$sort') && isDocument(value)) paths.push(...Object.keys(value));
    return false;
  });
  return paths.some(path => crossesArray(met, `${path}.0`));
};

/** Whether one document is taken of those that match, and the first in natural order is it. */
export const choosesByOrder = (command: Fields): boolean => {
  if ('findAndModify' in command) return !('sort' in command);
  return has(
    [command['updates'] ?? null, command['deletes'] ?? null],
    (value, name) => (name === 'multi' && value === false) || (name === 'limit' && value === 1),
  );
};

/** Whether it is a document that a field is to be equal to, with what looks like operators in it. */
export const hasOperatorsBelow = (value: Tree): boolean =>
  isDocument(value) && Object.keys(value)[0]?.startsWith('$') === false && operatorsIn(value).size > 0;

/** Whether its projection uses that operator. */
export const projects = ({ operation: { command } }: Case, operator: string): boolean =>
  has([command['projection'] ?? null, command['fields'] ?? null], (_, name) => name === operator);

export const arrayFiltersOf = ({ operation: { command } }: Case): Tree => {
  const found: Tree[] = [];
  has(command, (value, name) => {
    if (name === 'arrayFilters') found.push(value);
    return false;
  });
  return found;
};

export const withoutNullElements = (tree: Tree): Tree => (isArray(tree) ? tree.filter(item => item !== null) : tree);

/** Of equal numbers in an array one, as a number of no type. */
export const distinctNumbers = (tree: Tree): Tree => {
  if (!isArray(tree)) return untypedNumber(withoutModified(tree));
  const texts = tree.map(item => JSON.stringify(item));
  return tree.filter((_, index) => texts.indexOf(texts[index]!) === index);
};

/** A number that a double need not tell from its neighbours, or that is none. */
export const isGreat = (value: Tree): boolean =>
  wrapperOf(value)?.startsWith('$number') === true && !(Math.abs(Number(Object.values(value as Fields)[0])) < 2 ** 53);

/** A fraction, or beyond the int32. */
export const isNoInt32 = (value: Tree): boolean => {
  if (typeof value === 'number') return !Number.isInteger(value);
  if (wrapperOf(value)?.startsWith('$number') !== true) return false;
  const number = Number(Object.values(value as Fields)[0]);
  return !Number.isInteger(number) || Math.abs(number) >= 2 ** 31;
};

export const notANumber = (value: Tree): boolean =>
  isObject(value) && (value['$numberDouble'] === 'NaN' || value['$numberDecimal'] === 'NaN');

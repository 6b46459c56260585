import type { Pair } from '../rule.js';
import { fieldsRead, has, uses } from '../traits.js';
import type { Fields, Tree } from '../tree.js';
import { isArray, isDocument, isObject, walk, wrapperOf } from '../tree.js';

export const theirText = ({ theirs }: Pair): string => JSON.stringify(theirs);

export const withoutNulls = (tree: Tree): Tree =>
  isDocument(tree) ? Object.fromEntries(Object.entries(tree).filter(([, value]) => value !== null)) : tree;

export const withoutSignOfNought = (tree: Tree): Tree =>
  isObject(tree) && tree['$numberDouble'] === '-0.0' ? { $numberDouble: '0.0' } : tree;

/** Decimals without their exponents. */
export const plainDecimal = (tree: Tree): Tree =>
  isObject(tree) && typeof tree['$numberDecimal'] === 'string'
    ? { $numberDecimal: String(Number(tree['$numberDecimal'])) }
    : tree;

/** As $type tells of what $first and its like did not find. */
export const missingAsNull = (tree: Tree): Tree => (tree === 'missing' || tree === 'object' ? 'null' : tree);

export const withoutNullElements = (tree: Tree): Tree => (isArray(tree) ? tree.filter(item => item !== null) : tree);

export const withoutZone = (tree: Tree): Tree => (typeof tree === 'string' ? tree.replace(/(\d)Z$/, '$1') : tree);

export const isOddNumber = (tree: Tree): boolean =>
  (typeof tree === 'number' && tree !== 0 && tree !== 1) || (wrapperOf(tree)?.startsWith('$number') ?? false);

/** Constants are computed before any document is read. */
export const weRefuseConstant = ({ ours, theirs }: Pair): boolean =>
  theirs.kind === 'done' && ours.kind === 'refused' && ours.message.startsWith('Failed to optimize pipeline');

export const givesNull = ({ ours }: Pair): boolean => JSON.stringify(ours).includes('null');

/** A group has nothing of a document but what it is asked for. */
export const dropsFields = (pair: Pair): boolean => pair.ours.kind === 'done' && uses(pair, '$group', '$count');

export const anyNumberBeyond = (tree: Tree): boolean =>
  has(tree, value => {
    if (!isObject(value)) return false;
    const [text] = Object.values(value);
    return wrapperOf(value)?.startsWith('$number') === true && !(Math.abs(Number(text)) < 2 ** 53);
  });

export const hasUpdate = ({ operation: { command } }: Pair): boolean => 'updates' in command || 'update' in command;

/** All values that the operation meets. */
/** Whether they refuse a null that we do not have. */
export const refusesNull = ({ ours, theirs }: Pair): boolean =>
  ours.kind === 'done' && theirs.kind === 'refused' && theirs.message.includes('found: null');

/** Doubles to fourteen digits. */
export const nearDouble = (tree: Tree): Tree =>
  isObject(tree) && typeof tree['$numberDouble'] === 'string'
    ? { $numberDouble: Number(tree['$numberDouble']).toPrecision(14) }
    : tree;

/** Without fields that are empty documents. */
export const withoutEmpty = (tree: Tree): Tree =>
  isDocument(tree)
    ? Object.fromEntries(
        Object.entries(tree).filter(([, value]) => !isDocument(value) || Object.keys(value).length > 0),
      )
    : tree;

/** Whether it is a number of any type. */
export const isNumber = (tree: Tree | undefined): boolean =>
  typeof tree === 'number' || wrapperOf(tree)?.startsWith('$number') === true;

export const everythingOf = (pair: Pair): Tree => [fieldsRead(pair), pair.operation.command];

/** The value of that field of a stage or operator, wherever it is used. */
export const specsOf = ({ operation }: Pair, name: string): readonly Fields[] => {
  const found: Fields[] = [];
  walk(operation.command, (value, key) => {
    if (key === name && isDocument(value)) found.push(value);
  });
  return found;
};

export const lacks = ({ documents }: Pair, path: Tree | undefined): boolean =>
  typeof path === 'string' && documents.some(document => valueAt(document, path.split('.')) === undefined);

const valueAt = (tree: Tree | undefined, [part, ...rest]: readonly string[]): Tree | undefined =>
  part === undefined ? tree : isDocument(tree) ? valueAt(tree[part], rest) : undefined;

/** Without what a match of nothing gives. */
export const withoutEmptyMatches = (tree: Tree): Tree =>
  isArray(tree) ? tree.filter(item => !(isDocument(item) && item['match'] === '')) : tree;

export const withoutField = (tree: Tree, field: string): Tree =>
  isDocument(tree) ? Object.fromEntries(Object.entries(tree).filter(([name]) => name !== field)) : tree;

/** Without documents that have that field and no other. */
export const withoutMade = (tree: Tree, field: string): Tree =>
  isArray(tree) ? tree.filter(item => !(isDocument(item) && Object.keys(item).join() === field)) : tree;

export const endsWith = ({ operation: { command } }: Pair, stage: string): boolean => {
  const { pipeline } = command;
  const last = isArray(pipeline) ? pipeline.at(-1) : undefined;
  return isDocument(last) && stage in last;
};

/** The end of the year 9999. */
export const isGreatestDate = (tree: Tree): boolean =>
  isObject(tree) && isObject(tree['$date']) && Number(tree['$date']['$numberLong']) > 2 ** 47;

/** Whether an array among them has an element that is no document. */
export const hasScalarElement = (documents: readonly Fields[]): boolean =>
  documents.some(document => has(document, value => isArray(value) && value.some(item => !isDocument(item))));

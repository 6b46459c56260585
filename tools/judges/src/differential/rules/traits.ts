import { agree, agreementOf } from '../compare.js';
import type { Case, Outcome } from '../operation.js';
import type { Pair } from '../rule.js';
import type { Fields, Tree } from '../tree.js';
import { has, isArray, isDocument, isObject, operatorsIn, walk, wrapperOf } from '../tree.js';
import { wordsIn } from '../../words.js';

/** Returns whether the operation uses one of these operators or stages. */
export const uses = ({ operation }: Case, names: string): boolean => {
  const operators = operatorsIn(operation.command);
  return wordsIn(names).some(name => operators.has(name));
};

/** Returns whether only the other engine fails, with this code and message. */
export const theyRefuse = ({ ours, theirs }: Pair, code: number, message: RegExp = /(?:)/): boolean =>
  ours.kind === 'done' && theirs.kind === 'refused' && theirs.code === code && message.test(theirs.message);

/** Returns whether only our server fails, with this code and message. */
export const weRefuse = ({ ours, theirs }: Pair, code: number, message: RegExp = /(?:)/): boolean =>
  theirs.kind === 'done' && ours.kind === 'refused' && ours.code === code && message.test(ours.message);

export const bothDo = ({ ours, theirs }: Pair): boolean => ours.kind === 'done' && theirs.kind === 'done';

/** Returns the tree with every value changed, from the innermost to the outermost. */
export const mapped = (tree: Tree, change: (tree: Tree) => Tree): Tree => {
  if (isArray(tree)) return change(tree.map(item => mapped(item, change)));
  if (!isDocument(tree)) return change(tree);
  return change(
    Object.fromEntries(Object.entries(tree).map(([name, value]) => [name, mapped(value, change)] as const)),
  );
};

const through = (outcome: Outcome, change: (tree: Tree) => Tree): Outcome =>
  outcome.kind === 'refused'
    ? outcome
    : {
        kind: 'done',
        result: mapped(outcome.result, change),
        ...(outcome.after === undefined ? {} : { after: outcome.after.map(document => mapped(document, change)) }),
      };

/** Returns whether the outcomes are equal after every value in both was changed. */
export const equalBut = ({ ours, theirs, operation }: Pair, change: (tree: Tree) => Tree): boolean =>
  agree(through(ours, change), through(theirs, change), agreementOf(operation, false));

/** Returns the documents with only the fields that the command or index names. */
export const fieldsRead = ({ documents, foreign, operation: { command, index } }: Case): readonly Fields[] => {
  const text = JSON.stringify([command, index?.['key'] ?? null]);
  if (/"\$\$(?:ROOT|CURRENT)"/.test(text)) return [...documents, ...foreign];
  const isNamed = (name: string): boolean => new RegExp(`"\\$*(?:(?:ROOT|CURRENT|it|this)\\.)?${name}[".]`).test(text);
  return [...documents, ...foreign].map(document =>
    Object.fromEntries(Object.entries(document).filter(([name]) => isNamed(name))),
  );
};

/** Returns whether a document contains an array directly in an array. */
export const hasNestedArray = (documents: readonly Fields[]): boolean =>
  documents.some(document => has(document, value => isArray(value) && value.some(isArray)));

/** Sorts the fields of a document by name. */
export const sortedFields = (tree: Tree): Tree =>
  isDocument(tree) ? Object.fromEntries(Object.entries(tree).sort(([a], [b]) => (a < b ? -1 : 1))) : tree;

/** Removes the count of modified documents. */
export const withoutModified = (tree: Tree): Tree =>
  isDocument(tree) && 'nModified' in tree ? { ...tree, nModified: 0 } : tree;

/** Converts every number to one type. */
export const untypedNumber = (tree: Tree): Tree => {
  if (typeof tree === 'number') return String(tree);
  const wrapper = wrapperOf(tree);
  if (wrapper?.startsWith('$number') !== true) return tree;
  const text = (tree as Readonly<Record<string, string>>)[wrapper]!;
  const value = Number(text);
  return { number: Object.is(value, -0) ? '0' : String(value) };
};

/** Converts int64 values to int32. */
export const narrowInteger = (tree: Tree): Tree =>
  wrapperOf(tree) === '$numberLong' ? { $numberInt: (tree as { $numberLong: string }).$numberLong } : tree;

/** Errors of invalid arguments, by code and message. */
const badArguments: readonly (readonly [code: number, message: RegExp])[] = [
  [
    2,
    /takes an Array, a number, or a BinData|Failed to parse (?:\$size|bit position)|Can't have (?:RegEx|regex) as arg/,
  ],
  [2, /malformed mod|divisor cannot be 0|cannot nest \$|needs an array|must be an array/],
  [2, /source and target field for \$rename must|No array filter found|array filters? .* not used/],
  [9, /Expected an integer|Expected a non-negative|\$pop expects|bit positions/],
  [14, /Cannot (?:increment|multiply) with non-numeric argument/],
  [40, /would create a conflict/],
  [54, /cannot infer query fields to set/],
  [16020, /takes exactly/],
  [17390, /inclusion-style/],
  [31249, /Path collision/],
  [31254, /exclusion on field/],
  [40180, /an empty object is not a valid value/],
  [40237, /unary operator/],
  [51107, /regex option/],
  [51270, /empty sub-projection/],
  [5339902, /single field/],
  [5371602, /top level sortBy/],
];

/** Returns whether our server rejects an argument regardless of the documents. Other engines check it late or never. */
export const weRefuseArgument = (pair: Pair): boolean =>
  badArguments.some(([code, message]) => weRefuse(pair, code, message));

const operatorsOnStrings = `
  $regexFind $regexFindAll $regexMatch $replaceOne $replaceAll $strcasecmp $concat $trim $ltrim $rtrim $split $toUpper $toLower
  $substrCP $substrBytes $substr $strLenCP $strLenBytes $indexOfCP $indexOfBytes $binarySize $toString $convert $dateFromString
  $toDate $toInt $toLong $toDouble $toDecimal $toObjectId
`;

/** Returns whether the operation uses an operator that reads or returns strings. */
export const stringOperators = (pair: Pair): boolean => uses(pair, operatorsOnStrings);

export const theirText = ({ theirs }: Pair): string => JSON.stringify(theirs);

export const withoutNulls = (tree: Tree): Tree =>
  isDocument(tree) ? Object.fromEntries(Object.entries(tree).filter(([, value]) => value !== null)) : tree;

export const withoutSignOfNought = (tree: Tree): Tree =>
  isObject(tree) && tree['$numberDouble'] === '-0.0' ? { $numberDouble: '0.0' } : tree;

/** Removes the exponents of decimals. */
export const plainDecimal = (tree: Tree): Tree =>
  isObject(tree) && typeof tree['$numberDecimal'] === 'string'
    ? { $numberDecimal: String(Number(tree['$numberDecimal'])) }
    : tree;

/** Returns 'null' for the $type of a missing result of $first and similar operators. */
export const missingAsNull = (tree: Tree): Tree => (tree === 'missing' || tree === 'object' ? 'null' : tree);

export const withoutNullElements = (tree: Tree): Tree => (isArray(tree) ? tree.filter(item => item !== null) : tree);

export const withoutZone = (tree: Tree): Tree => (typeof tree === 'string' ? tree.replace(/(\d)Z$/, '$1') : tree);

export const isOddNumber = (tree: Tree): boolean =>
  (typeof tree === 'number' && tree !== 0 && tree !== 1) || (wrapperOf(tree)?.startsWith('$number') ?? false);

/** Returns whether our server fails because it evaluates constants before it reads documents. */
export const weRefuseConstant = ({ ours, theirs }: Pair): boolean =>
  theirs.kind === 'done' && ours.kind === 'refused' && ours.message.startsWith('Failed to optimize pipeline');

export const givesNull = ({ ours }: Pair): boolean => JSON.stringify(ours).includes('null');

/** Returns whether a stage drops fields that it does not need. */
export const dropsFields = (pair: Pair): boolean => pair.ours.kind === 'done' && uses(pair, '$group $count');

export const anyNumberBeyond = (tree: Tree): boolean =>
  has(tree, value => {
    if (!isObject(value)) return false;
    const [text] = Object.values(value);
    return wrapperOf(value)?.startsWith('$number') === true && !(Math.abs(Number(text)) < 2 ** 53);
  });

export const hasUpdate = ({ operation: { command } }: Pair): boolean => 'updates' in command || 'update' in command;

/** Returns whether only the other engine fails, because of a null that our server does not have. */
export const refusesNull = ({ ours, theirs }: Pair): boolean =>
  ours.kind === 'done' && theirs.kind === 'refused' && theirs.message.includes('found: null');

/** Rounds doubles to fourteen digits. */
export const nearDouble = (tree: Tree): Tree =>
  isObject(tree) && typeof tree['$numberDouble'] === 'string'
    ? { $numberDouble: Number(tree['$numberDouble']).toPrecision(14) }
    : tree;

/** Removes fields whose values are empty documents. */
export const withoutEmpty = (tree: Tree): Tree =>
  isDocument(tree)
    ? Object.fromEntries(
        Object.entries(tree).filter(([, value]) => !isDocument(value) || Object.keys(value).length > 0),
      )
    : tree;

/** Returns all values that the operation reads. */
export const everythingOf = (pair: Pair): Tree => [fieldsRead(pair), pair.operation.command];

/** Returns the documents that a stage or operator with this name has as its value. */
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

export const withoutField = (tree: Tree, field: string): Tree =>
  isDocument(tree) ? Object.fromEntries(Object.entries(tree).filter(([name]) => name !== field)) : tree;

/** Removes documents that have only this field. */
export const withoutMade = (tree: Tree, field: string): Tree =>
  isArray(tree) ? tree.filter(item => !(isDocument(item) && Object.keys(item).join() === field)) : tree;

export const endsWith = ({ operation: { command } }: Pair, stage: string): boolean => {
  const { pipeline } = command;
  const last = isArray(pipeline) ? pipeline.at(-1) : undefined;
  return isDocument(last) && stage in last;
};

/** Returns whether an array contains an element that is not a document. */
export const hasScalarElement = (documents: readonly Fields[]): boolean =>
  documents.some(document => has(document, value => isArray(value) && value.some(item => !isDocument(item))));

/** Converts values so that they are equal when Python considers them equal: false is 0 and true is 1. */
export const asPython = (tree: Tree): Tree =>
  untypedNumber(typeof tree === 'boolean' ? { $numberInt: String(Number(tree)) } : tree);

/** Returns whether the sets are equal after values that are equal in Python are merged. */
export const pythonKeeps = ({ ours, theirs }: Pair): boolean => {
  const set = (outcome: Outcome): string =>
    outcome.kind === 'done' && isArray(outcome.result)
      ? [...new Set(outcome.result.map(value => JSON.stringify(mapped(value, asPython))))].sort().join()
      : '';
  return set(ours) !== '' && set(ours) === set(theirs);
};

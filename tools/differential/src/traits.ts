import { agree, agreementOf } from './compare.js';
import type { Outcome } from './outcome.js';
import type { Case } from './operation.js';
import type { Pair } from './rule.js';
import type { Fields, Tree } from './tree.js';
import { isArray, isDocument, operatorsIn, walk, wrapperOf } from './tree.js';

/** Whether the operation uses one of these operators or stages. */
export const uses = ({ operation }: Case, ...names: readonly string[]): boolean => {
  const operators = operatorsIn(operation.command);
  return names.some(name => operators.has(name));
};

/** Whether they refuse what we do, with that code and such a message. */
export const theyRefuse = ({ ours, theirs }: Pair, code: number, message: RegExp = /(?:)/): boolean =>
  ours.kind === 'done' && theirs.kind === 'refused' && theirs.code === code && message.test(theirs.message);

/** Whether we refuse, with that code and such a message, what they do. */
export const weRefuse = ({ ours, theirs }: Pair, code: number, message: RegExp = /(?:)/): boolean =>
  theirs.kind === 'done' && ours.kind === 'refused' && ours.code === code && message.test(ours.message);

export const bothDo = ({ ours, theirs }: Pair): boolean => ours.kind === 'done' && theirs.kind === 'done';

/** The tree after that change of every value in it, the innermost first. */
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

/** Whether the outcomes are the same after that change of every value in both. */
export const equalBut = ({ ours, theirs, operation }: Pair, change: (tree: Tree) => Tree): boolean =>
  agree(through(ours, change), through(theirs, change), agreementOf(operation, false));

/** Whether it makes the document that it does not find. */
export const isUpsert = ({ operation }: Case): boolean =>
  has(operation.command, (value, name) => name === 'upsert' && value === true);

/** The filters that a command finds its documents by. */
export const filtersOf = (command: Fields): readonly Tree[] => {
  const found: Tree[] = [];
  for (const name of ['filter', 'query']) if (command[name] !== undefined) found.push(command[name]);
  for (const name of ['updates', 'deletes']) {
    const statements = command[name];
    if (isArray(statements))
      for (const one of statements) if (isDocument(one) && one['q'] !== undefined) found.push(one['q']);
  }
  walk(command['pipeline'] ?? [], (value, name) => {
    if (name === '$match') found.push(value);
  });
  return found;
};

/** Of all documents that it can read only the fields whose names are in its command or index. */
export const fieldsRead = ({ documents, foreign, operation: { command, index } }: Case): readonly Fields[] => {
  const text = JSON.stringify([command, index?.['key'] ?? null]);
  if (/"\$\$(?:ROOT|CURRENT)"/.test(text)) return [...documents, ...foreign];
  const isNamed = (name: string): boolean => new RegExp(`"\\$*(?:(?:ROOT|CURRENT|it|this)\\.)?${name}[".]`).test(text);
  return [...documents, ...foreign].map(document =>
    Object.fromEntries(Object.entries(document).filter(([name]) => isNamed(name))),
  );
};

/** Whether an array among them has an array as an element. */
export const hasNestedArray = (documents: readonly Fields[]): boolean =>
  documents.some(document => has(document, value => isArray(value) && value.some(isArray)));

/** The fields of a document in the order of their names. */
export const sortedFields = (tree: Tree): Tree =>
  isDocument(tree) ? Object.fromEntries(Object.entries(tree).sort(([a], [b]) => (a < b ? -1 : 1))) : tree;

/** Without the count of modified documents. */
export const withoutModified = (tree: Tree): Tree =>
  isDocument(tree) && 'nModified' in tree ? { ...tree, nModified: 0 } : tree;

/** Every number as the same type. */
export const untypedNumber = (tree: Tree): Tree => {
  if (typeof tree === 'number') return String(tree);
  const wrapper = wrapperOf(tree);
  if (wrapper?.startsWith('$number') !== true) return tree;
  const text = (tree as Readonly<Record<string, string>>)[wrapper]!;
  const value = Number(text);
  return { number: Object.is(value, -0) ? '0' : String(value) };
};

/** Every whole number of 64 bits as one of 32. */
export const narrowInteger = (tree: Tree): Tree =>
  wrapperOf(tree) === '$numberLong' ? { $numberInt: (tree as { $numberLong: string }).$numberLong } : tree;

/** Whether such a value is anywhere in it. */
export const has = (tree: Tree, test: (tree: Tree, name: string | undefined) => boolean): boolean => {
  let found = false;
  walk(tree, (value, name) => {
    found ||= test(value, name);
  });
  return found;
};

/** Refusals of arguments, by code and message. */
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

/** Whether we refuse an argument as such, whatever the documents: what engines tend to do when they come to it, or never. */
export const weRefuseArgument = (pair: Pair): boolean =>
  badArguments.some(([code, message]) => weRefuse(pair, code, message));

/** What reads or makes strings. */
export const stringOperators = (pair: Pair): boolean =>
  uses(
    pair,
    '$regexFind',
    '$regexFindAll',
    '$regexMatch',
    '$replaceOne',
    '$replaceAll',
    '$strcasecmp',
    '$concat',
    '$trim',
    '$ltrim',
    '$rtrim',
    '$split',
    '$toUpper',
    '$toLower',
    '$substrCP',
    '$substrBytes',
    '$substr',
    '$strLenCP',
    '$strLenBytes',
    '$indexOfCP',
    '$indexOfBytes',
    '$binarySize',
    '$toString',
    '$convert',
    '$dateFromString',
    '$toDate',
    '$toInt',
    '$toLong',
    '$toDouble',
    '$toDecimal',
    '$toObjectId',
  );

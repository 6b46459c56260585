import { wordsIn } from '../words.js';

/**
 * A BSON value as parsed canonical Extended JSON. A plain number is an int32. Documents, operations and results have
 * this form, because it keeps types, can be printed, and can be shrunk.
 */
export type Tree = null | boolean | number | string | readonly Tree[] | Fields;

export interface Fields {
  readonly [name: string]: Tree;
}

const wrappers: ReadonlySet<string> = new Set(
  wordsIn(`
  $numberInt $numberLong $numberDouble $numberDecimal $oid $date $timestamp $binary $regularExpression $code $symbol $undefined
  $dbPointer $minKey $maxKey
`),
);

export const isArray = (tree: Tree | undefined): tree is readonly Tree[] => Array.isArray(tree);

/** Returns whether the value is a JSON object: a document, or a value of a type that JSON lacks. */
export const isObject = (tree: Tree | undefined): tree is Fields =>
  typeof tree === 'object' && tree !== null && !Array.isArray(tree);

/** Returns the name of the wrapper of a value whose type JSON lacks, else undefined. */
export const wrapperOf = (tree: Tree | undefined): string | undefined => {
  if (!isObject(tree)) return undefined;
  for (const name in tree) return wrappers.has(name) ? name : undefined;
  return undefined;
};

export const isDocument = (tree: Tree | undefined): tree is Fields => isObject(tree) && wrapperOf(tree) === undefined;

/** Calls the function with the tree and every value in it, and with the field name of each value. */
export const walk = (tree: Tree, visit: (tree: Tree, name: string | undefined) => void, name?: string): void => {
  visit(tree, name);
  if (isArray(tree)) for (const item of tree) walk(item, visit);
  else if (isDocument(tree)) for (const [key, value] of Object.entries(tree)) walk(value, visit, key);
};

/** Returns whether a value in the tree satisfies the test. */
export const has = (tree: Tree, test: (tree: Tree, name: string | undefined) => boolean): boolean => {
  let found = false;
  walk(tree, (value, name) => {
    found ||= test(value, name);
  });
  return found;
};

/** Returns the names of all operators, stages and variables in the tree: fields that begin with `$`. */
export const operatorsIn = (tree: Tree): ReadonlySet<string> => {
  const found = new Set<string>();
  walk(tree, (_value, name) => {
    if (name?.startsWith('$') === true) found.add(name);
  });
  return found;
};

/** Returns the alias of a value's BSON type. */
export const typeOf = (tree: Tree): string => {
  if (tree === null) return 'null';
  if (typeof tree === 'boolean') return 'bool';
  if (typeof tree === 'number') return 'int';
  if (typeof tree === 'string') return 'string';
  if (isArray(tree)) return 'array';
  return wrapperOf(tree)?.slice(1) ?? 'object';
};

/** Returns the aliases of the types of all values in the tree. */
export const typesIn = (tree: Tree): ReadonlySet<string> => {
  const found = new Set<string>();
  walk(tree, value => found.add(typeOf(value)));
  return found;
};

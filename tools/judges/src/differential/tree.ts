import { wordsIn } from '../words.js';

/**
 * A BSON value as canonical Extended JSON, read; a plain number stands for an int32. Documents, operations and results are kept in
 * this form: it tells types apart, prints itself and can be cut smaller.
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

/** Whether it is an object of JSON: a document, or a value of a type that JSON does not have. */
export const isObject = (tree: Tree | undefined): tree is Fields =>
  typeof tree === 'object' && tree !== null && !Array.isArray(tree);

/** The name of the wrapper if it is a value of a type that JSON does not have. */
export const wrapperOf = (tree: Tree | undefined): string | undefined => {
  if (!isObject(tree)) return undefined;
  for (const name in tree) return wrappers.has(name) ? name : undefined;
  return undefined;
};

export const isDocument = (tree: Tree | undefined): tree is Fields => isObject(tree) && wrapperOf(tree) === undefined;

/** Calls the function with every value in it, itself first, and with the name that it stands under. */
export const walk = (tree: Tree, visit: (tree: Tree, name: string | undefined) => void, name?: string): void => {
  visit(tree, name);
  if (isArray(tree)) for (const item of tree) walk(item, visit);
  else if (isDocument(tree)) for (const [key, value] of Object.entries(tree)) walk(value, visit, key);
};

/** Whether such a value is anywhere in it. */
export const has = (tree: Tree, test: (tree: Tree, name: string | undefined) => boolean): boolean => {
  let found = false;
  walk(tree, (value, name) => {
    found ||= test(value, name);
  });
  return found;
};

/** The names of all operators in it: fields that begin with `$`, and variables and stages among them. */
export const operatorsIn = (tree: Tree): ReadonlySet<string> => {
  const found = new Set<string>();
  walk(tree, (_value, name) => {
    if (name?.startsWith('$') === true) found.add(name);
  });
  return found;
};

/** The BSON type of a value, by its alias. */
export const typeOf = (tree: Tree): string => {
  if (tree === null) return 'null';
  if (typeof tree === 'boolean') return 'bool';
  if (typeof tree === 'number') return 'int';
  if (typeof tree === 'string') return 'string';
  if (isArray(tree)) return 'array';
  return wrapperOf(tree)?.slice(1) ?? 'object';
};

/** The aliases of the types of all values in it. */
export const typesIn = (tree: Tree): ReadonlySet<string> => {
  const found = new Set<string>();
  walk(tree, value => found.add(typeOf(value)));
  return found;
};

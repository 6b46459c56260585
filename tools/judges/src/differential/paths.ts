import type { Case } from './operation.js';
import type { Fields, Tree } from './tree.js';
import { isArray, isDocument, walk } from './tree.js';

/** Returns whether the path leads through an array before its last part. */
const leadsThroughArray = (tree: Tree | undefined, parts: readonly string[]): boolean => {
  if (parts.length === 0 || tree === undefined) return false;
  if (isArray(tree)) return true;
  return isDocument(tree) && leadsThroughArray(tree[parts[0]!], parts.slice(1));
};

const everything = ({ documents, foreign }: Case): readonly Fields[] => [...documents, ...foreign];

/** Returns whether the dotted path leads through an array in one of the documents. */
export const crossesArray = (met: Case, path: string): boolean => {
  const parts = path.split('.');
  return parts.length > 1 && everything(met).some(document => leadsThroughArray(document, parts));
};

const arrayOn = (tree: Tree | undefined, parts: readonly string[]): boolean =>
  isArray(tree) || (parts.length > 0 && isDocument(tree) && arrayOn(tree[parts[0]!], parts.slice(1)));

/** Returns whether the path leads to an array or through an array in one of the documents. */
export const hasArrayOn = (met: Case, path: string): boolean =>
  met.documents.some(document => arrayOn(document, path.split('.')));

const computing = new Set(['$project', '$addFields', '$set', '$unset', 'projection', 'fields']);

/** Returns the dotted paths that expressions read, without `$`. For a variable, only the path after it counts. */
export const readPaths = (command: Tree): readonly string[] => {
  const found: string[] = [];
  walk(command, value => {
    if (typeof value !== 'string' || !value.startsWith('$') || !value.includes('.')) return;
    found.push(value.replace(/^\$\$(?:ROOT|CURRENT)\.|^\$\$|^\$/, ''));
  });
  return found;
};

/** Returns the dotted paths that stages and projections write or remove. */
export const shapedPaths = (command: Tree): readonly string[] => {
  const found: string[] = [];
  walk(command, (value, name) => {
    if (typeof value === 'string' && (name === 'as' || name === 'includeArrayIndex')) found.push(value);
    if (name === undefined || !computing.has(name)) return;
    if (isDocument(value)) found.push(...Object.keys(value));
    else if (typeof value === 'string') found.push(value);
    else if (isArray(value)) found.push(...value.filter(item => typeof item === 'string'));
  });
  return found.filter(path => path.includes('.'));
};

const endsInNoDocument = (tree: Tree | undefined, parts: readonly string[]): boolean =>
  parts.length > 0 && (!isDocument(tree) || endsInNoDocument(tree[parts[0]!], parts.slice(1)));

/** Returns whether the dotted path has a parent that is not a document in one of the documents. */
export const leavesDocuments = (met: Case, path: string): boolean => {
  const parts = path.split('.');
  return parts.length > 1 && everything(met).some(document => endsInNoDocument(document, parts));
};

/** Returns the dotted paths by which the operation sorts. */
export const sortedPaths = (command: Tree): readonly string[] => {
  const found: string[] = [];
  walk(command, (value, name) => {
    if ((name === 'sort' || name === '$sort' || name === 'sortBy') && isDocument(value))
      found.push(...Object.keys(value));
  });
  return found.filter(path => path.includes('.'));
};

const lacksBelowArray = (tree: Tree | undefined, parts: readonly string[], inArray: boolean): boolean => {
  if (isArray(tree)) return tree.length === 0 || tree.some(item => lacksBelowArray(item, parts, true));
  if (parts.length === 0) return false;
  if (!isDocument(tree)) return inArray;
  const [part] = parts as [string];
  return tree[part] === undefined ? inArray : lacksBelowArray(tree[part], parts.slice(1), inArray);
};

/** Returns whether an array on the dotted path is empty, or has an element without the rest of the path. */
export const lacksInArray = (met: Case, path: string): boolean =>
  everything(met).some(document => lacksBelowArray(document, path.split('.'), false));

const endsBeyondArray = (tree: Tree | undefined, parts: readonly string[]): boolean => {
  const [part, ...rest] = parts;
  if (part === undefined) return false;
  if (!isArray(tree)) return isDocument(tree) && endsBeyondArray(tree[part], rest);
  if (!/^\d+$/.test(part)) return tree.some(item => endsBeyondArray(item, parts));
  return Number(part) >= tree.length || rest.length > 0;
};

/** Returns whether the dotted path names a missing position of an array, or leads through a position. */
export const missesPosition = (met: Case, path: string): boolean =>
  everything(met).some(document => endsBeyondArray(document, path.split('.')));

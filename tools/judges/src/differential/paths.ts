import type { Case } from './operation.js';
import type { Fields, Tree } from './tree.js';
import { isArray, isDocument, walk } from './tree.js';

/** Whether a part of the path before its last leads to an array. */
const leadsThroughArray = (tree: Tree | undefined, parts: readonly string[]): boolean => {
  if (parts.length === 0 || tree === undefined) return false;
  if (isArray(tree)) return true;
  return isDocument(tree) && leadsThroughArray(tree[parts[0]!], parts.slice(1));
};

const everything = ({ documents, foreign }: Case): readonly Fields[] => [...documents, ...foreign];

/** Whether that dotted path leads through an array in one of the documents. */
export const crossesArray = (met: Case, path: string): boolean => {
  const parts = path.split('.');
  return parts.length > 1 && everything(met).some(document => leadsThroughArray(document, parts));
};

const arrayOn = (tree: Tree | undefined, parts: readonly string[]): boolean =>
  isArray(tree) || (parts.length > 0 && isDocument(tree) && arrayOn(tree[parts[0]!], parts.slice(1)));

/** Whether that path leads to an array or through one, in one of the documents. */
export const hasArrayOn = (met: Case, path: string): boolean =>
  met.documents.some(document => arrayOn(document, path.split('.')));

const computing = new Set(['$project', '$addFields', '$set', '$unset', 'projection', 'fields']);

/** The dotted paths that expressions read, without `$`; those that begin with a variable other than the document, by their rest. */
export const readPaths = (command: Tree): readonly string[] => {
  const found: string[] = [];
  walk(command, value => {
    if (typeof value !== 'string' || !value.startsWith('$') || !value.includes('.')) return;
    found.push(value.replace(/^\$\$(?:ROOT|CURRENT)\.|^\$\$|^\$/, ''));
  });
  return found;
};

/** The dotted paths that stages and projections write or leave out. */
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

/** Whether what stands before the last part of that dotted path is no document, in one of the documents. */
export const leavesDocuments = (met: Case, path: string): boolean => {
  const parts = path.split('.');
  return parts.length > 1 && everything(met).some(document => endsInNoDocument(document, parts));
};

/** The dotted paths that the operation sorts by. */
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

/** Whether an array on that dotted path is empty, or has an element that lacks what follows, in one of the documents. */
export const lacksInArray = (met: Case, path: string): boolean =>
  everything(met).some(document => lacksBelowArray(document, path.split('.'), false));

const endsBeyondArray = (tree: Tree | undefined, parts: readonly string[]): boolean => {
  const [part, ...rest] = parts;
  if (part === undefined) return false;
  if (!isArray(tree)) return isDocument(tree) && endsBeyondArray(tree[part], rest);
  if (!/^\d+$/.test(part)) return tree.some(item => endsBeyondArray(item, parts));
  return Number(part) >= tree.length || rest.length > 0;
};

/** Whether that dotted path names a position that an array does not have, or leads through one, in one of the documents. */
export const missesPosition = (met: Case, path: string): boolean =>
  everything(met).some(document => endsBeyondArray(document, path.split('.')));

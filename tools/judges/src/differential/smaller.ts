import type { Case } from './operation.js';
import type { Fields, Tree } from './tree.js';
import { isArray, isDocument, isObject } from './tree.js';

const without = (fields: Fields, name: string): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([key]) => key !== name));

/** Yields smaller values for the same position, the smallest first. */
function* smaller(tree: Tree): Generator<Tree> {
  if (isArray(tree)) {
    for (const item of tree) if (isDocument(item) || isArray(item)) yield item;
    for (let i = 0; i < tree.length; i++) yield tree.filter((_, at) => at !== i);
    for (const [i, item] of tree.entries())
      for (const less of smaller(item)) yield tree.map((other, at) => (at === i ? less : other));
  } else if (isDocument(tree)) {
    for (const item of Object.values(tree)) if (isDocument(item) || isArray(item)) yield item;
    for (const name of Object.keys(tree)) yield without(tree, name);
    for (const [name, item] of Object.entries(tree)) for (const less of smaller(item)) yield { ...tree, [name]: less };
  } else if (typeof tree === 'string') {
    const [first = ''] = tree;
    if (tree.length > first.length && first !== '$') yield first;
  } else if (isObject(tree)) yield 1;
}

/** Yields the case without one of its parts. */
export function* smallerCases({ documents, foreign, operation }: Case): Generator<Case> {
  if (documents.length > 1) for (const document of documents) yield { documents: [document], foreign, operation };
  if (foreign.length > 0) yield { documents, foreign: [], operation };
  const { index, ...unindexed } = operation;
  if (index !== undefined) yield { documents, foreign, operation: unindexed };
  for (let i = 0; i < documents.length; i++)
    yield { documents: documents.filter((_, at) => at !== i), foreign, operation };
  for (let i = 0; i < foreign.length; i++) yield { documents, foreign: foreign.filter((_, at) => at !== i), operation };
  const [name] = Object.keys(operation.command);
  for (const [field, value] of Object.entries(operation.command)) {
    if (field === name || field === 'cursor') continue;
    for (const less of smaller(value))
      if (isArray(less) === isArray(value) && isDocument(less) === isDocument(value))
        yield { documents, foreign, operation: { ...operation, command: { ...operation.command, [field]: less } } };
  }
  for (const [i, document] of documents.entries())
    for (const [field, value] of Object.entries(document)) {
      if (field === '_id') continue;
      const put = (changed: Fields): Case => ({
        documents: documents.map((other, at) => (at === i ? changed : other)),
        foreign,
        operation,
      });
      yield put(without(document, field));
      for (const less of smaller(value)) yield put({ ...document, [field]: less });
    }
}

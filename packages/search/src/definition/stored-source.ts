import type { Document } from '@tessera/contracts';
import type { Fields } from '../fields.js';
import { isDocument } from '../values.js';

/** Returns the fields of a document that the index stores. */
export type StoredSource = (document: Document) => Document;

/** A field, or the fields below it. */
interface Tree {
  readonly below: Map<string, Tree>;
}

const treeOf = (paths: readonly string[]): Tree => {
  const root: Tree = { below: new Map() };
  for (const path of paths) {
    let at = root;
    for (const part of path.split('.')) {
      const next: Tree = at.below.get(part) ?? { below: new Map() };
      at.below.set(part, next);
      at = next;
    }
  }
  return root;
};

const picked = (value: unknown, tree: Tree, includes: boolean): unknown => {
  if (Array.isArray(value)) return value.map(item => picked(item, tree, includes));
  if (!isDocument(value)) return value;
  const entries: [string, unknown][] = [];
  for (const [name, field] of Object.entries(value)) {
    const below = tree.below.get(name);
    if (below === undefined) {
      if (!includes) entries.push([name, field]);
    } else if (below.below.size > 0) entries.push([name, picked(field, below, includes)]);
    else if (includes) entries.push([name, field]);
  }
  return Object.fromEntries(entries);
};

/** @throws SearchError */
export const readStoredSource = (definition: Fields): StoredSource | undefined => {
  const given = definition.get('storedSource');
  if (given === undefined || given === false) return undefined;
  if (given === true) return document => document;
  const fields = definition.child('storedSource').allow('include', 'exclude');
  if (fields.has('include') === fields.has('exclude'))
    throw definition.problem('storedSource', 'must have exactly one of [include, exclude]');
  const includes = fields.has('include');
  const tree = treeOf(fields.strings(includes ? 'include' : 'exclude'));
  if (includes) tree.below.set('_id', { below: new Map() });
  return document => picked(document, tree, includes) as Document;
};

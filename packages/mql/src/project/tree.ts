import type { Entry } from '../value/doc.js';
import { Doc } from '../value/doc.js';
import { spend } from '../work/meter.js';
import type { Value } from '../value/value.js';
import { isArray, isDoc } from '../value/value.js';

/** Computes the value of a field; undefined leaves the field out. */
export type Computation<C> = (context: C) => Value | undefined;

/**
 * A projection as a tree over the parts of its paths, in the order of the specification: `{ 'a.b': 1, c: '$d' }` is
 * `a → (b → 'here'), c → computation`. `'here'` marks the end of a path that is included or excluded.
 */
export type ProjectionTree<C> = ReadonlyMap<string, ProjectionNode<C>>;
export type ProjectionNode<C> = 'here' | Computation<C> | ProjectionTree<C>;

/**
 * A compiled projection. `context` is passed to the computations. It is the original document, or other inputs of
 * theirs.
 */
export type Project<C> = (doc: Doc, context: C) => Doc;

const hasComputations = <C>(tree: ProjectionTree<C>): boolean => {
  for (const node of tree.values()) {
    if (typeof node === 'function' || (node instanceof Map && hasComputations(node))) return true;
  }
  return false;
};

const isTree = <C>(node: ProjectionNode<C> | undefined): node is ProjectionTree<C> => typeof node === 'object';

/** An array element that was left out stays as a hole until all steps are done. */
type Partial = Value | undefined;

const withoutHoles = (items: readonly Partial[]): readonly Value[] => items.filter(item => item !== undefined);

const set = (entries: Entry[], key: string, value: Value | undefined): void => {
  const at = entries.findIndex(entry => entry[0] === key);
  if (value === undefined) {
    if (at !== -1) entries.splice(at, 1);
  } else if (at === -1) entries.push([key, value]);
  else entries[at] = [key, value];
};

/** The computations of a tree, in a form that can be applied to documents. */
interface Additions<C> {
  readonly steps: readonly { readonly key: string; readonly add: Computation<C> | Additions<C> }[];
}

const additionsOf = <C>(tree: ProjectionTree<C>): Additions<C> | undefined => {
  const steps: { key: string; add: Computation<C> | Additions<C> }[] = [];
  for (const [key, node] of tree) {
    if (typeof node === 'function') steps.push({ key, add: node });
    else if (isTree(node)) {
      const below = additionsOf(node);
      if (below !== undefined) steps.push({ key, add: below });
    }
  }
  return steps.length === 0 ? undefined : { steps };
};

const addToEntries = <C>(entries: Entry[], { steps }: Additions<C>, context: C): void => {
  spend((steps.length * (16 + entries.length)) >>> 5);
  for (const { key, add } of steps) {
    if (typeof add === 'function') set(entries, key, add(context));
    else set(entries, key, addToValue(entries.find(entry => entry[0] === key)?.[1], add, context));
  }
};

/** Adds to a document, or to each element of an array. Any other value is replaced by a document with the additions. */
const addToValue = <C>(value: Partial, additions: Additions<C>, context: C): Value => {
  if (isArray(value)) {
    spend(value.length);
    return (value as readonly Partial[]).map(item => addToValue(item, additions, context));
  }
  const entries: Entry[] = isDoc(value) ? [...value.entries()] : [];
  addToEntries(entries, additions, context);
  return Doc.of(entries);
};

/**
 * Adds computed fields to documents, as `$addFields` and `$set`. Existing fields are replaced in place; new fields are
 * appended in the order of the tree. A path goes into documents and through arrays, and replaces scalars with
 * documents. The tree must consist of computations only. All computations read the `context`, never each other's
 * results.
 */
export const compileAddition = <C>(tree: ProjectionTree<C>): Project<C> => {
  const additions = additionsOf(tree);
  if (additions === undefined) return doc => doc;
  return (doc, context) => {
    spend(additions.steps.length >>> 1);
    const changes: Entry[] = [];
    let removes = false;
    for (const { key, add } of additions.steps) {
      const value = typeof add === 'function' ? add(context) : addToValue(doc.get(key), add, context);
      if (value !== undefined) changes.push([key, value]);
      else if (doc.has(key)) removes = true;
    }
    return removes ? without(doc, additions, changes) : doc.withAll(changes);
  };
};

/** Removes fields whose computation returned undefined. */
const without = <C>(doc: Doc, { steps }: Additions<C>, changes: readonly Entry[]): Doc => {
  const entries = [...doc.entries()];
  for (const { key } of steps) set(entries, key, changes.find(change => change[0] === key)?.[1]);
  return Doc.of(entries);
};

const includeValue = <C>(value: Value, tree: ProjectionTree<C>, holes: boolean): Partial => {
  if (isDoc(value)) return Doc.of(includeEntries(value, tree, holes));
  if (!isArray(value)) return undefined;
  spend(value.length);
  const items = value.map(item => includeValue(item, tree, holes));
  // The holes are kept for a later step, which fills every hole.
  return holes ? (items as readonly Value[]) : withoutHoles(items);
};

const includeEntries = <C>(doc: Doc, tree: ProjectionTree<C>, holes: boolean): Entry[] => {
  const entries: Entry[] = [];
  for (const entry of doc.entriesIn(tree)) {
    const node = tree.get(entry[0]);
    if (node === 'here') entries.push(entry);
    else if (isTree(node)) {
      const value = includeValue(entry[1], node, holes && hasComputations(node));
      if (value !== undefined) entries.push([entry[0], value]);
    }
  }
  return entries;
};

/**
 * Keeps the fields that end in `'here'`, in the order of the document, and appends computed fields in the order of the
 * tree. A path goes into documents and through arrays, nested arrays included; elements that are neither are left out.
 * A number in a path is a field name. `_id` is treated like other fields: the caller adds it to the tree if needed.
 */
export const compileInclusion = <C>(tree: ProjectionTree<C>): Project<C> => {
  const additions = additionsOf(tree);
  if (additions === undefined) return doc => Doc.of(includeEntries(doc, tree, false));
  return (doc, context) => {
    const entries = includeEntries(doc, tree, true);
    addToEntries(entries, additions, context);
    return Doc.of(entries);
  };
};

const excludeValue = <C>(value: Value, tree: ProjectionTree<C>): Value => {
  if (isDoc(value)) return excludeDoc(value, tree);
  if (!isArray(value)) return value;
  spend(value.length);
  return value.map(item => excludeValue(item, tree));
};

const excludeDoc = <C>(doc: Doc, tree: ProjectionTree<C>): Doc => {
  const entries: Entry[] = [];
  for (const entry of doc.entries()) {
    const node = tree.get(entry[0]);
    if (isTree(node)) entries.push([entry[0], excludeValue(entry[1], node)]);
    else if (node !== 'here') entries.push(entry);
  }
  return Doc.of(entries);
};

/**
 * Removes the fields that end in `'here'`. A path goes into documents and through arrays, nested arrays included; other
 * values are kept. Computed fields are added afterwards.
 */
export const compileExclusion = <C>(tree: ProjectionTree<C>): Project<C> => {
  const additions = additionsOf(tree);
  if (additions === undefined) return doc => excludeDoc(doc, tree);
  const add = compileAddition(tree);
  return (doc, context) => add(excludeDoc(doc, tree), context);
};

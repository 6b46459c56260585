import { fail } from '../errors.js';
import { equal } from '../value/compare.js';
import { spend } from '../work/meter.js';
import type { Entry } from '../value/doc.js';
import { Doc } from '../value/doc.js';
import { show } from '../value/show.js';
import type { Value } from '../value/value.js';
import { isArray, isDoc } from '../value/value.js';
import { positionOf } from './path.js';
import type { Place, Run } from './place.js';
import { dotted, nameOf } from './place.js';
import type { Modifier, UpdateNode } from './tree.js';
import { childrenAt, merge } from './tree.js';

type FieldsNode = UpdateNode & { readonly kind: 'fields' };

/** The maximum number of missing elements that are filled with nulls. */
const maxBackfill = 1_500_000;

/** Checks that a change is allowed. An existing `_id` must keep its type too: 1.0 differs from 1. */
const requireAllowed = (existing: Value | undefined, result: Value | undefined, place: Place): Value | undefined => {
  const [first] = place.path;
  if (first === '_id' && place.run.original.has('_id')) {
    const { insert } = place.run;
    if (insert && existing !== undefined && result !== undefined && equal(existing, result)) return existing;
    throw fail(
      'ImmutableField',
      `Performing an update on the path '${dotted(place)}' would modify the immutable field '_id'`,
    );
  }
  if (first!.startsWith('$') && !place.run.insert) throw dollarPrefixed(first!);
  return result;
};

export const dollarPrefixed = (name: string): Error =>
  fail(
    'DollarPrefixedFieldName',
    `The dollar ($) prefixed field '${name}' in '${name}' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith.`,
  );

/** Reports the change at a place. Changes within a value that is created as a whole are not reported. */
const report = (
  place: Place,
  modifier: Modifier | undefined,
  existing: Value | undefined,
  result: Value | undefined,
): void => {
  const { log } = place.run;
  if (log === undefined) return;
  const path = dotted(place);
  if (modifier?.appends === true && isArray(existing) && isArray(result)) {
    for (let i = existing.length; i < result.length; i++) log({ path: `${path}.${i}`, value: result[i] });
  } else {
    log({ path, value: result === undefined && place.array !== undefined ? null : result });
  }
};

const quiet = (place: Place): Place => ({ ...place, run: { ...place.run, log: undefined } });
const probe = (place: Place): Place => ({ ...quiet(place), probe: true });

const below = (place: Place, part: string, container: Value): Place => ({
  path: [...place.path, part],
  array: isArray(container) ? nameOf(place) : place.array,
  probe: place.probe,
  run: place.run,
});

/** Returns the path of the first modifier that creates nothing but rejects a scalar on its path. */
const rejectingPath = (node: UpdateNode, path: string): string | undefined => {
  if (node.kind === 'leaf') return node.modifier.rejectsScalars === true ? path : undefined;
  for (const [part, child] of node.children) {
    const found = rejectingPath(child, `${path}.${part}`);
    if (found !== undefined) return found;
  }
  return undefined;
};

/** The number of fields up to which a linear search is faster than a map. */
const few = 16;

/** Returns the position of each field. If a name is duplicated, its first field counts. */
const placesIn = (doc: Doc): ReadonlyMap<string, number> => {
  const places = new Map<string, number>();
  const entries = doc.entries();
  for (let i = entries.length - 1; i >= 0; i--) places.set(entries[i]![0], i);
  return places;
};

const atLeaf = (modifier: Modifier, existing: Value | undefined, place: Place): Value | undefined => {
  const result = existing === undefined ? modifier.create(place) : modifier.update(existing, place);
  if (result === existing || place.probe) return result;
  const allowed = requireAllowed(existing, result, place);
  if (allowed !== existing) report(place, modifier, existing, allowed);
  return allowed;
};

const inDoc = (node: FieldsNode, doc: Doc, place: Place): Doc => {
  let entries: (Entry | undefined)[] | undefined;
  let removes = false;
  const children = childrenAt(node, place.path, place.run.position);
  const places = children.size > few ? placesIn(doc) : undefined;
  spend(children.size);
  for (const [part, child] of children) {
    const existing = places === undefined ? doc.get(part) : doc.entries()[places.get(part) ?? -1]?.[1];
    const result = atNode(child, existing, below(place, part, doc));
    if (result === existing) continue;
    entries ??= [...doc.entries()];
    // A tree has each name once, so a new field cannot exist among the entries.
    if (existing === undefined) entries.push([part, result!]);
    else {
      const index = places?.get(part) ?? doc.entries().findIndex(entry => entry[0] === part);
      entries[index] = result === undefined ? undefined : [part, result];
      removes ||= result === undefined;
    }
  }
  if (entries === undefined) return doc;
  return Doc.of(removes ? entries.filter(entry => entry !== undefined) : (entries as Entry[]));
};

const inArray = (node: FieldsNode, array: readonly Value[], place: Place): readonly Value[] => {
  let items: Value[] | undefined;
  for (const [part, child] of childrenAt(node, place.path, place.run.position)) {
    const position = positionOf(part);
    const inside = below(place, part, array);
    if (position === undefined) {
      refuseCreation(child, inside, nameOf(place), items ?? array);
      continue;
    }
    const existing = (items ?? array)[position];
    const result = atNode(child, existing, inside);
    if (result === existing) continue;
    items ??= [...array];
    if (position - items.length > maxBackfill) {
      throw fail('CannotBackfillArray', `can't backfill more than ${maxBackfill} elements`);
    }
    while (items.length < position) items.push(null);
    items[position] = result ?? null;
  }
  return items ?? array;
};

/** Returns the value that a node creates for a missing field, or undefined if it creates none. */
const created = (node: UpdateNode, place: Place): Value | undefined => {
  if (node.kind === 'leaf') return atLeaf(node.modifier, undefined, place);
  if (node.kind === 'elements') {
    throw fail('BadValue', `The path '${dotted(place)}' must exist in the document in order to apply array updates.`);
  }
  const doc = inDoc(node, Doc.EMPTY, quiet(place));
  if (doc === Doc.EMPTY) return undefined;
  report(place, undefined, undefined, doc);
  return doc;
};

/**
 * Rejects the creation of a field in a scalar, or in an array under a name that is not an index. Modifiers that
 * create nothing are skipped, unless they reject scalars.
 */
const refuseCreation = (node: UpdateNode, place: Place, container: string, value: Value): void => {
  if (created(node, probe(place)) === undefined) {
    const path = rejectingPath(node, dotted(place));
    if (path === undefined) return;
    throw fail(
      'PathNotViable',
      `Cannot use the part (${nameOf(place)}) of (${path}) to traverse the element ({${container}: ${show(value)}})`,
    );
  }
  throw fail('PathNotViable', `Cannot create field '${nameOf(place)}' in element {${container}: ${show(value)}}`);
};

const inScalar = (node: FieldsNode, existing: Value, place: Place): Value => {
  for (const [part, child] of childrenAt(node, place.path, place.run.position)) {
    refuseCreation(child, below(place, part, existing), nameOf(place), existing);
  }
  return existing;
};

const inElements = (node: UpdateNode & { kind: 'elements' }, existing: Value, place: Place): Value => {
  if (!isArray(existing)) {
    throw fail('BadValue', `Cannot apply array updates to non-array element ${nameOf(place)}: ${show(existing)}`);
  }
  let items: Value[] | undefined;
  for (const [i, item] of existing.entries()) {
    const inside = below(place, String(i), existing);
    let both: UpdateNode | undefined;
    for (const [identifier, child] of node.children) {
      if (identifier !== '' && !place.run.filters.get(identifier)!.matches(Doc.of([[identifier, item]]))) continue;
      both = both === undefined ? child : merge(both, child, dotted(inside));
    }
    const result = both === undefined ? item : atNode(both, item, inside);
    if (result !== item) (items ??= [...existing])[i] = result ?? null;
  }
  return items ?? existing;
};

const atNode = (node: UpdateNode, existing: Value | undefined, place: Place): Value | undefined => {
  if (existing === undefined) return created(node, place);
  switch (node.kind) {
    case 'leaf':
      return atLeaf(node.modifier, existing, place);
    case 'elements':
      return inElements(node, existing, place);
    case 'fields':
      if (isDoc(existing)) return inDoc(node, existing, place);
      return isArray(existing) ? inArray(node, existing, place) : inScalar(node, existing, place);
  }
};

/**
 * Applies an update tree to a document and copies only the parts that change. Returns the updated document, or the
 * same document if nothing changed.
 * @throws CommandError if the update cannot be applied
 */
export const applyTree = (tree: FieldsNode, doc: Doc, run: Run): Doc =>
  inDoc(tree, doc, { path: [], array: undefined, probe: false, run });

import { fail } from '../errors.js';
import { isOperators } from '../query/operators.js';
import { compareStrings, equal } from '../value/compare.js';
import type { Entry } from '../value/doc.js';
import { Doc } from '../value/doc.js';
import type { Value } from '../value/value.js';
import { isArray, isDoc, RegexValue, typeName, UndefinedValue } from '../value/value.js';
import { applyTree } from './apply.js';
import { noFilters } from './array-filters.js';
import { set } from './modifiers/fields.js';
import { createTreeBuilder } from './tree.js';
import type { UpdateMoment, Updater } from './update.js';

export interface UpsertMoment extends Omit<UpdateMoment, 'insert' | 'matcher'> {
  /** Creates an `_id`, usually an ObjectId, if neither the filter nor the update provides one. */
  readonly newId: () => Value;
}

/** A field that a filter requires to equal one value. */
interface Equality {
  readonly path: string;
  readonly value: Value;
}

const pin = (path: string, value: Value): readonly Equality[] => (value instanceof RegexValue ? [] : [{ path, value }]);

const equalitiesOf = (path: string, value: Value): readonly Equality[] => {
  if (!isOperators(value)) return pin(path, value);
  return value.entries().flatMap(([name, argument]): readonly Equality[] => {
    if (name === '$eq') return [{ path, value: argument }];
    if (name === '$in' && isArray(argument)) {
      const [first] = argument;
      return first !== undefined && argument.every(item => equal(item, first)) ? pin(path, first) : [];
    }
    if (name === '$all' && isArray(argument))
      return argument.flatMap(item => (isOperators(item) ? [] : pin(path, item)));
    return [];
  });
};

/** Returns the equality condition that all branches of an `$or` consist of, or those of its only branch. */
const equalitiesOfAny = (branches: readonly Doc[]): readonly Equality[] => {
  const [first = [], ...others] = branches.map(equalitiesIn);
  if (others.length === 0) return first;
  const [only] = first;
  const same = (branch: readonly Equality[]): boolean =>
    branch.length === 1 && branch[0]!.path === only?.path && equal(branch[0]!.value, only.value);
  return [first, ...others].every(same) && branches.every(branch => branch.size === 1) ? first : [];
};

/** Returns the equality conditions of every document that the filter matches: fields, `$and`, and `$or`. */
const equalitiesIn = (filter: Doc): readonly Equality[] =>
  filter.entries().flatMap(([name, value]) => {
    if (!name.startsWith('$')) return equalitiesOf(name, value);
    if (!isArray(value)) return [];
    if (name === '$and') return value.filter(isDoc).flatMap(equalitiesIn);
    return name === '$or' ? equalitiesOfAny(value.filter(isDoc)) : [];
  });

/** Returns the paths of the documents that contain the path: `a` and `a.b` for `a.b.c`. */
const parentsOf = (path: string): readonly string[] =>
  [...path.matchAll(/\./g)].map(({ index }) => path.slice(0, index));

/** @throws CommandError if two conditions set one path, or a path and a part of it */
const requireOne = (equalities: readonly Equality[]): void => {
  const matched = new Set<string>();
  /** The first matched path below each path. */
  const below = new Map<string, string>();
  for (const { path } of equalities) {
    if (matched.has(path)) {
      throw fail('NotSingleValueField', `cannot infer query fields to set, path '${path}' is matched twice`);
    }
    const parents = parentsOf(path);
    const parent = parents.find(each => matched.has(each));
    const child = below.get(path);
    if (parent !== undefined || child !== undefined) {
      throw fail(
        'NotSingleValueField',
        `cannot infer query fields to set, both paths '${parent ?? path}' and '${child ?? path}' are matched`,
      );
    }
    matched.add(path);
    for (const each of parents) if (!below.has(each)) below.set(each, path);
  }
};

const createFields = (equalities: readonly Equality[], moment: UpsertMoment): Doc => {
  if (equalities.length === 0) return Doc.EMPTY;
  const builder = createTreeBuilder();
  for (const { path, value } of equalities) builder.put(path.split('.'), set(value));
  return applyTree(builder.build(), Doc.EMPTY, {
    original: Doc.EMPTY,
    insert: true,
    nowMs: moment.nowMs,
    nowTimestamp: moment.nowTimestamp,
    collation: undefined,
    filters: noFilters,
    position: () => 0,
    log: undefined,
  });
};

/**
 * Returns the document that modifiers are applied to: the fields with equality conditions, in the order of their paths.
 */
const baseOf = (filter: Doc, kind: Updater['kind'], moment: UpsertMoment): Doc => {
  const all = equalitiesIn(filter);
  const kept = kind === 'replacement' ? all.filter(({ path }) => path === '_id' || path.startsWith('_id.')) : all;
  const part = kind === 'replacement' ? kept.find(({ path }) => path !== '_id') : undefined;
  if (part !== undefined) {
    throw fail('NotExactValueField', `field at '_id' must be exactly specified, field at sub-path '${part.path}'found`);
  }
  requireOne(kept);
  return createFields(
    [...kept].sort((a, b) => compareStrings(a.path, b.path)),
    moment,
  );
};

/** Returns the first name with a dollar in a value, except those of a DBRef in their order. */
const dollarIn = (value: Value): string | undefined => {
  if (isArray(value)) return firstOf(value, dollarIn);
  if (!isDoc(value)) return undefined;
  const entries = value.entries();
  const isRef = entries[0]?.[0] === '$ref' && typeof entries[0][1] === 'string' && entries[1]?.[0] === '$id';
  const refs = !isRef ? 0 : entries[2]?.[0] === '$db' && typeof entries[2][1] === 'string' ? 3 : 2;
  return firstOf([...entries.entries()], ([i, [name, inner]]) =>
    name.startsWith('$') && i >= refs ? name : dollarIn(inner),
  );
};

const firstOf = <T>(items: readonly T[], find: (item: T) => string | undefined): string | undefined => {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
};

/** @throws CommandError 52 if an `_id` has names with a dollar at any depth */
export const requirePlainId = (id: Value): void => {
  const name = dollarIn(id);
  if (name === undefined) return;
  throw fail(
    'DollarPrefixedFieldName',
    `_id fields may not contain '$'-prefixed fields: ${name} is not valid for storage.`,
  );
};

/** @throws CommandError 53 if a value cannot be an `_id`, 52 if it has names with a dollar */
export const requireValidId = (id: Value): void => {
  if (isArray(id) || id instanceof RegexValue || id instanceof UndefinedValue) {
    throw fail('InvalidIdField', `The '_id' value cannot be of type ${typeName(id)}`);
  }
  requirePlainId(id);
};

const withIdFirst = (doc: Doc, newId: () => Value): Doc => {
  const id = doc.get('_id');
  const rest: readonly Entry[] = doc.entries().filter(([name]) => name !== '_id');
  const first = id === undefined ? newId() : id;
  requireValidId(first);
  return Doc.of([['_id', first], ...rest]);
};

/**
 * Returns the document that an upsert inserts if its filter matches nothing. It consists of the `_id`, then the fields
 * with equality conditions in the filter (for a replacement only the `_id`), then the changes of the update.
 * @throws CommandError 54 if the filter has two conditions on a path, 111 if a replacement's filter has conditions on
 *   parts of `_id`
 * @throws CommandError 53 or 52 for an invalid `_id`, and the errors of the updater
 */
export const upsertDocument = (filter: Doc, updater: Updater, moment: UpsertMoment): Doc => {
  const base = baseOf(filter, updater.kind, moment);
  const { nowMs, nowTimestamp, stamp, log } = moment;
  return withIdFirst(updater.apply(base, { insert: true, nowMs, nowTimestamp, stamp, log }), moment.newId);
};

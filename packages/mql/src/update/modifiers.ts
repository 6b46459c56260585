import { fail } from '../errors.js';
import type { Matcher, QueryContext } from '../query/parse.js';
import type { Doc } from '../value/doc.js';
import { show } from '../value/show.js';
import type { Value } from '../value/value.js';
import { isDoc, typeName } from '../value/value.js';
import { requireFilter, requireUse } from './array-filters.js';
import { addToSet } from './modifiers/add-to-set.js';
import { bit, inc, mul } from './modifiers/arithmetic.js';
import { currentDate, max, min, set, setOnInsert, unset } from './modifiers/fields.js';
import { pop, pull, pullAll } from './modifiers/pull.js';
import { push } from './modifiers/push.js';
import { rename } from './modifiers/rename.js';
import { identifierOf, parseUpdatePath } from './path.js';
import type { Modifier, TreeBuilder, UpdateNode } from './tree.js';
import { createTreeBuilder } from './tree.js';

type CreateModifier = (argument: Value, path: string, context: QueryContext) => Modifier;

const creators: ReadonlyMap<string, CreateModifier> = new Map<string, CreateModifier>([
  ['$set', set],
  ['$setOnInsert', setOnInsert],
  ['$unset', unset],
  ['$min', min],
  ['$max', max],
  ['$currentDate', currentDate],
  ['$inc', inc],
  ['$mul', mul],
  ['$bit', bit],
  ['$push', push],
  ['$addToSet', addToSet],
  ['$pull', (argument, _path, context) => pull(argument, context)],
  ['$pullAll', (argument, _path, context) => pullAll(argument, context)],
  ['$pop', pop],
]);

export const modifierNames: readonly string[] = [...creators.keys(), '$rename'];

/** Returns the fields of a modifier such as `{ $set: { … } }`. */
const fieldsOf = (name: string, argument: Value): Doc => {
  if (name !== '$rename' && !creators.has(name)) {
    throw fail(
      'FailedToParse',
      `Unknown modifier: ${name}. Expected a valid update modifier or pipeline-style update specified as an array`,
    );
  }
  if (isDoc(argument)) return argument;
  throw fail(
    'FailedToParse',
    `Modifiers operate on fields but we found type ${typeName(argument)} instead. For example: {$mod: {<field>: ...}} not {${name}: ${show(argument)}}`,
  );
};

const putRename = (builder: TreeBuilder, from: string, to: Value): void => {
  const { source, target, atSource, atTarget } = rename(from, to);
  builder.put(source, atSource);
  builder.put(target, atTarget);
};

/**
 * Compiles modifiers such as `{ $set: { a: 1 }, $inc: { b: 1 } }` to one tree.
 * @throws CommandError 2, 9, 14, 40, 56
 */
export const parseModifiers = (
  update: Doc,
  filters: ReadonlyMap<string, Matcher>,
  context: QueryContext,
): UpdateNode & { readonly kind: 'fields' } => {
  const builder = createTreeBuilder();
  const used = new Set<string>();
  for (const [name, argument] of update) {
    for (const [path, value] of fieldsOf(name, argument)) {
      if (name === '$rename') {
        putRename(builder, path, value);
        continue;
      }
      const parts = parseUpdatePath(path);
      for (const part of parts) {
        const identifier = identifierOf(part);
        if (identifier === undefined || identifier === '') continue;
        requireFilter(filters, identifier, path);
        used.add(identifier);
      }
      builder.put(parts, creators.get(name)!(value, path, context));
    }
  }
  requireUse(filters, used, update);
  return builder.build();
};

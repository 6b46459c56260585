import type { Value } from '@tessera/mql/engine';
import { Doc, equal, fail, isDoc, isSameCollation, showDoc } from '@tessera/mql/engine';

const key = Doc.of([['_id', 1]]);

const fields: ReadonlySet<string> = new Set(['key', 'name', 'v', 'ns', 'collation', 'background', 'clustered']);

/** Checks the fields of the index on `_id`. @throws CommandError 197 for an option that it cannot have */
export const checkIdOptions = (spec: Doc): void => {
  const refused = spec.keys().find(name => !fields.has(name));
  if (refused === undefined) return;
  throw fail(
    'InvalidIndexSpecificationOption',
    `The field '${refused}' is not valid for an _id index specification. Specification: ${showDoc(spec)}`,
  );
};

/**
 * Checks `idIndex` of `create`.
 * @throws CommandError 9 without a key, 2 for another key or collation than the collection's, 197
 */
export const checkIdIndex = (spec: Doc, collation: Doc | undefined): void => {
  const given = spec.get('key');
  if (!isDoc(given)) throw fail('FailedToParse', "The 'key' field is a required property of an index specification");
  if (!equal(given, key))
    throw fail('BadValue', `The field 'key' for an _id index must be {_id: 1}, but got ${showDoc(given)}`);
  checkIdOptions(spec);
  const own = spec.get('collation');
  if (own !== undefined && !isSameCollation(isDoc(own) ? own : undefined, collation))
    throw fail('BadValue', 'The _id index must have the same collation as the collection');
};

const clusteredFields: ReadonlySet<string> = new Set(['key', 'unique', 'name', 'v']);

/**
 * Checks `clusteredIndex` of `create`.
 * @throws CommandError 197 for another key than `_id`, 40414, 40415, 5979700, 5979703, 5979704
 */
export function checkClusteredIndex(spec: Value): asserts spec is Doc {
  if (!isDoc(spec)) throw fail(5979703, "The legacy format of 'clusteredIndex' is only for internal collections");
  const unknown = spec.keys().find(name => !clusteredFields.has(name));
  if (unknown !== undefined) throw fail(40415, `BSON field 'clusteredIndex.${unknown}' is an unknown field.`);
  for (const name of ['key', 'unique'])
    if (!spec.has(name)) throw fail(40414, `BSON field 'clusteredIndex.${name}' is missing but a required field`);
  if (!isDoc(spec.get('key')) || !equal(spec.get('key'), key))
    throw fail('InvalidIndexSpecificationOption', 'The clusteredIndex option requires the key pattern { _id: 1 }');
  if (spec.get('unique') !== true) throw fail(5979700, "The clusteredIndex option requires 'unique: true'");
  const version = spec.get('v');
  if (version !== undefined && !equal(version, 2)) throw fail(5979704, "The clusteredIndex option requires 'v: 2'");
}

/**
 * Checks the option `clustered` of `createIndexes`, which only describes the index of a clustered collection.
 * @throws CommandError 6243700, 6492800
 */
export const checkClusteredOption = (spec: Doc, first: Doc | undefined): void => {
  if (!spec.has('clustered')) return;
  if (spec.get('clustered') !== true) throw fail(6492800, "The option 'clustered' must be true");
  if (first?.get('clustered') !== true || !isDoc(spec.get('key')) || !equal(spec.get('key'), key))
    throw fail(6243700, "The option 'clustered' is only valid for the key of a clustered collection");
};

/** Checks the name of an index. @throws CommandError 2 for `*`, 67 */
export const checkIndexName = (name: string): void => {
  if (name === '*') throw fail('BadValue', "The index name '*' is not valid.");
  if (name === '') throw fail('CannotCreateIndex', 'index name cannot be empty');
  if (name.includes('\0')) throw fail('CannotCreateIndex', 'index name cannot contain NUL bytes');
};

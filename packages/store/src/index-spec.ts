import type { Entry, Since, TextIndex, Value, Version } from '@tessera/mql/engine';
import {
  Doc,
  detached,
  createCollation,
  equal,
  fail,
  fullCollation,
  isAtLeast,
  isDoc,
  isNumber,
  showDoc,
  splitPath,
  toDouble,
  typeName,
} from '@tessera/mql/engine';
import type { IndexDefinition } from './collection.js';
import { idIndex } from './collection.js';
import { checkClusteredIndex, checkIdIndex, checkIdOptions, checkIndexName } from './id-index.js';
import type { IndexField } from './index-keys.js';
import { listedIndexOf } from './listed-index.js';
import { partialFilter } from './partial-filter.js';
import { textKeysOf } from './text-keys.js';
import { isWildcard, wildcardPaths } from './wildcard-index.js';

/** Fields that an index specification may have. */
const known: ReadonlySet<string> = new Set([
  'v',
  'key',
  'name',
  'unique',
  'sparse',
  'background',
  'hidden',
  'expireAfterSeconds',
  'partialFilterExpression',
  'collation',
  'storageEngine',
  'dropDups',
  'ns',
  'clustered',
  'weights',
  'default_language',
  'language_override',
  'textIndexVersion',
  '2dsphereIndexVersion',
  'coarsestIndexedLevel',
  'finestIndexedLevel',
  'bits',
  'min',
  'max',
  'wildcardProjection',
  'prepareUnique',
]);

/** Returns the specification without options that no index has. */
export const knownPart = (spec: Doc): Doc => Doc.of(spec.entries().filter(([name]) => known.has(name)));

/** Options that were added after 4.2. */
const knownSince: readonly (readonly [string, Since])[] = [
  ['hidden', '4.4'],
  ['prepareUnique', '5.2'],
  ['clustered', '5.3'],
];

/** Checks the options of an index. @throws CommandError 197 for options that the version does not have */
export const checkIndexOptions = (spec: Doc, version: Version): void => {
  const early = knownSince.find(([name, since]) => spec.has(name) && !isAtLeast(version, since));
  if (early !== undefined) throw unknownOption(spec, early[0]);
};

const unknownOption = (spec: Doc, name: string): Error =>
  fail(
    'InvalidIndexSpecificationOption',
    `The field '${name}' is not valid for an index specification. Specification: ${showDoc(spec)}`,
  );

const mostFields = 32;

const cannot = (message: string): Error => fail('CannotCreateIndex', message);

const directionOf = (path: string, value: Value): 1 | -1 | 'hashed' => {
  if (isNumber(value)) {
    const n = toDouble(value);
    if (n === 0 || Number.isNaN(n)) throw cannot('Values in the index key pattern cannot be 0.');
    return n > 0 ? 1 : -1;
  }
  if (value === 'hashed') return 'hashed';
  if (value === 'text' || value === '2d' || value === '2dsphere') return 1;
  if (typeof value === 'string') throw cannot(`Unknown index plugin '${value}'`);
  throw cannot(
    `Values in v:2 index key pattern cannot be of type ${typeName(value)}. Only numbers > 0, numbers < 0, and strings are allowed. (field '${path}')`,
  );
};

const checkPath = (path: string, isSeries: boolean): void => {
  if (path === '' && isSeries) return;
  if (path === '') throw cannot('Index keys cannot be an empty field.');
  const plain = isWildcard(path) ? path.replace(/\.?\$\*\*$/, '') : path;
  if (plain === '') return;
  for (const part of splitPath(plain)) {
    if (part === '') throw cannot('Index keys cannot contain an empty field.');
    if (part.startsWith('$') && !['$id', '$ref', '$db'].includes(part)) {
      throw cannot(`Index key contains an illegal field name: field name starts with '$'.`);
    }
  }
};

const fieldsOf = (
  key: Doc,
  isSeries: boolean,
): { readonly fields: readonly IndexField[]; readonly hashed: boolean } => {
  if (key.size === 0) throw cannot('Index keys cannot be empty.');
  if (key.size > mostFields) throw cannot(`too many compound keys`);
  let hashed = false;
  const fields = key.entries().map(([path, value]): IndexField => {
    checkPath(path, isSeries);
    const direction = directionOf(path, value);
    if (direction === 'hashed') hashed = true;
    return { path, parts: splitPath(path), direction: direction === 'hashed' ? 1 : direction };
  });
  const twice = fields.find((field, i) => fields.findIndex(other => other.path === field.path) !== i);
  if (twice !== undefined) throw cannot(`Duplicate field in index key: ${twice.path}`);
  return { fields, hashed };
};

/**
 * Returns a boolean field of an index. The default is false.
 * @throws CommandError 14 for a value that is neither a boolean nor a number
 */
export const flag = (spec: Doc, name: string): boolean => {
  const value = spec.get(name);
  if (value === undefined) return false;
  if (isNumber(value)) return toDouble(value) !== 0;
  if (typeof value === 'boolean') return value;
  throw fail('TypeMismatch', `The field '${name}' has value ${typeName(value)}, which is not convertible to bool`);
};

const expiryOf = (spec: Doc, fields: readonly IndexField[]): number | undefined => {
  const value = spec.get('expireAfterSeconds');
  if (value === undefined) return undefined;
  if (!isNumber(value))
    throw cannot(
      `TTL index 'expireAfterSeconds' option must be numeric, but received a type of '${typeName(value)}'. Index spec: ${showDoc(spec)}`,
    );
  const seconds = toDouble(value);
  if (!(seconds >= 0 && seconds <= 0x7fffffff))
    throw cannot(`TTL index 'expireAfterSeconds' option must be within 0 and 2147483647. Index spec: ${showDoc(spec)}`);
  const key = spec.get('key');
  if ((isDoc(key) ? key.size : fields.length) > 1)
    throw cannot(
      'TTL indexes are single-field indexes, compound indexes do not support TTL. Index spec: ' + showDoc(spec),
    );
  if (fields[0]!.path === '_id')
    throw cannot(
      "The field 'expireAfterSeconds' is not valid for an _id index specification. Specification: " + showDoc(spec),
    );
  return Math.floor(seconds);
};

const nested = (spec: Doc, name: string): Doc | undefined => {
  const value = spec.get(name);
  if (value === undefined || isDoc(value)) return value;
  throw fail('TypeMismatch', `The field '${name}' must be an object, but got ${typeName(value)}`);
};

/** Returns the specification as listIndexes shows it. */
const listedAs = (spec: Doc, key: Doc, name: string, more: readonly Entry[]): Doc => {
  const entries: Entry[] = [
    ['v', 2],
    ['key', key],
    ['name', name],
  ];
  const shown = [
    'unique',
    'prepareUnique',
    'sparse',
    'hidden',
    'expireAfterSeconds',
    'partialFilterExpression',
    'collation',
    'background',
    'storageEngine',
    'coarsestIndexedLevel',
    'finestIndexedLevel',
    'bits',
    'min',
    'max',
    'wildcardProjection',
  ];
  for (const [field, value] of spec)
    if (shown.includes(field) && !(['hidden', 'prepareUnique'].includes(field) && value === false))
      entries.push([field, value]);
  return Doc.of([...entries, ...more]);
};

/** Returns what determines the entries of an index of places or of a wildcard. */
const specialShape = (
  kind: IndexDefinition['kind'],
  fields: readonly IndexField[],
  spec: Doc,
): Pick<IndexDefinition, 'place' | 'wildcard'> => {
  if (kind === 'wildcard') {
    const at = fields.findIndex(({ path }) => isWildcard(path));
    const { path, direction } = fields[at]!;
    return {
      wildcard: { at, direction, contains: wildcardPaths(path, spec), isWhole: !spec.has('wildcardProjection') },
    };
  }
  if (kind !== '2d' && kind !== '2dsphere') return {};
  const key = spec.get('key') as Doc;
  const at = fields.findIndex(({ path }) => key.get(path) === kind);
  const bound = (name: string, standard: number): number => {
    const value = spec.get(name);
    return kind === '2d' && isNumber(value) ? toDouble(value) : standard;
  };
  const version = spec.get('2dsphereIndexVersion');
  return {
    place: {
      kind,
      field: fields[at]!,
      at,
      others: fields.slice(at + 1).filter(({ path }) => key.get(path) === kind),
      isWhole: kind === '2dsphere' && isNumber(version) && toDouble(version) === 1,
      square: { low: bound('min', -180), high: bound('max', 180) },
    },
  };
};

/** The part of an index that its specification does not contain. */
export interface IndexSetting {
  /** The collation of the collection, which is the default. */
  readonly inherited?: Doc | undefined;
  /** Whether the collection is a time series. Only a time series may have an index on the empty path. */
  readonly isSeries?: boolean;
  /** The analysis of texts. A text index needs it. */
  readonly analysis?: TextIndex['analysis'] | undefined;
}

/**
 * Parses one specification of `createIndexes`.
 * @throws CommandError 67, 197, 14, 2, and other errors of the specification
 */
export const parseIndexSpec = (
  spec: Doc,
  { inherited, isSeries = false, analysis }: IndexSetting = {},
): IndexDefinition => {
  const unknown = spec.keys().find(name => !known.has(name));
  if (unknown !== undefined) throw unknownOption(spec, unknown);
  const given = spec.get('key');
  const name = spec.get('name');
  if (!isDoc(given))
    throw fail(
      'FailedToParse',
      `The 'key' field is a required property of an index specification and must be an object`,
    );
  if (typeof name !== 'string')
    throw fail('FailedToParse', `The 'name' field is a required property of an index specification`);
  if (equal(given, idIndex.key) && !spec.has('clustered')) checkIdOptions(spec);
  checkIndexName(name);
  if (spec.get('v') === 0) throw cannot('Invalid index version 0');
  const unique = flag(spec, 'unique');
  const special = listedIndexOf(given, spec, unique);
  const key = special?.key ?? given;
  const { fields, hashed } = fieldsOf(key, isSeries);
  const partial = nested(spec, 'partialFilterExpression');
  const sparse = flag(spec, 'sparse');
  if (partial !== undefined && sparse) throw cannot('cannot mix "partialFilterExpression" and "sparse" options');
  if (unique && flag(spec, 'prepareUnique')) throw cannot('cannot mix the options "prepareUnique" and "unique"');
  if (hashed && unique) throw cannot(`Currently hashed indexes cannot guarantee uniqueness. Use a regular index.`);
  const collationSpec = nested(spec, 'collation') ?? inherited;
  const order = collationSpec === undefined ? undefined : createCollation(collationSpec);
  const collation = order === undefined ? undefined : { spec: fullCollation(collationSpec!), order };
  if (collation !== undefined && (special?.kind === 'text' || special?.kind === '2d'))
    throw cannot(`Index type '${special.kind}' does not support collation: ${showDoc(collation.spec)}`);
  const listed = collation === undefined ? spec.without('collation') : spec.with('collation', collation.spec);
  const definition: IndexDefinition = {
    name,
    key: key.view(),
    fields,
    hashed,
    unique,
    prepareUnique: flag(spec, 'prepareUnique'),
    sparse,
    hidden: flag(spec, 'hidden'),
    clustered: false,
    kind: special?.kind,
    ...specialShape(special?.kind, fields, spec),
    collation,
    partial: partial && partialFilter({ spec, filter: partial, collation: order }),
    expireAfterSeconds: expiryOf(spec, fields),
    spec: detached(listedAs(listed, key, name, special?.more ?? [])),
  };
  return definition.kind === 'text' ? { ...definition, textKeys: textKeysOf(definition, analysis!) } : definition;
};

/** Returns the index on `_id` with the collection's collation. @throws CommandError 2, 9, 197 for a wrong `idIndex` */
export const idIndexWith = (given: Doc | undefined, collation: Doc | undefined): IndexDefinition => {
  if (given !== undefined) checkIdIndex(given, collation);
  const order = collation === undefined ? undefined : createCollation(collation);
  let { spec } = idIndex;
  if (given?.has('v') === true) spec = spec.with('v', given.get('v')!);
  if (order === undefined) return { ...idIndex, spec };
  const full = fullCollation(collation!);
  return { ...idIndex, collation: { spec: full, order }, spec: spec.with('collation', full) };
};

/** Parses `clusteredIndex`: the index on `_id` of a clustered collection. @throws CommandError 14, 197, … */
export const parseClusteredIndex = (
  spec: Value,
  expireAfterSeconds: number | undefined,
  collation: Doc | undefined,
): IndexDefinition => {
  checkClusteredIndex(spec);
  const name = spec.get('name') ?? '_id_';
  if (typeof name !== 'string')
    throw fail('TypeMismatch', `The field 'name' must be a string, but got ${typeName(name)}`);
  const onId = idIndexWith(undefined, collation);
  const listed = onId.spec.with('name', name).with('unique', true).with('clustered', true);
  return { ...onId, name, clustered: true, expireAfterSeconds, spec: listed };
};

/** Whether two indexes are the same, except for their names. */
const isSameIndex = (a: IndexDefinition, b: IndexDefinition): boolean =>
  equal(a.key, b.key) &&
  equal(a.collation?.spec, b.collation?.spec) &&
  equal(a.partial?.filter, b.partial?.filter) &&
  a.key.keys().join('\0') === b.key.keys().join('\0');

const sameOptions = (a: IndexDefinition, b: IndexDefinition): boolean =>
  a.unique === b.unique &&
  a.sparse === b.sparse &&
  a.hidden === b.hidden &&
  a.prepareUnique === b.prepareUnique &&
  a.expireAfterSeconds === b.expireAfterSeconds &&
  ['weights', 'default_language', 'language_override'].every(name => equal(a.spec.get(name), b.spec.get(name)));

/** Whether the same index exists. @throws CommandError 85, 86 if another index conflicts with it */
export const existsAlready = (wanted: IndexDefinition, existing: readonly IndexDefinition[]): boolean => {
  const twin = existing.find(other => isSameIndex(wanted, other));
  if (twin?.name === '_id_') return true;
  const namesake = existing.find(({ name }) => name === wanted.name);
  const words = (other: IndexDefinition): string =>
    `Requested index: ${showDoc(wanted.spec)}, existing index: ${showDoc(other.spec)}`;
  if (namesake !== undefined) {
    if (!isSameIndex(wanted, namesake) || wanted.unique !== namesake.unique || wanted.sparse !== namesake.sparse) {
      throw fail(
        'IndexKeySpecsConflict',
        `An existing index has the same name as the requested index. When index names are not specified, they are auto generated and can cause conflicts. Please refer to our documentation. ${words(namesake)}`,
      );
    }
    if (sameOptions(wanted, namesake)) return true;
    throw fail(
      'IndexOptionsConflict',
      `An equivalent index already exists with the same name but different options. ${words(namesake)}`,
    );
  }
  const text = wanted.kind === 'text' ? existing.find(({ kind }) => kind === 'text') : undefined;
  if (twin === undefined && text !== undefined)
    throw cannot(`only one text index per collection allowed, found existing text index "${text.name}"`);
  if (twin === undefined) return false;
  if (twin.clustered) return true;
  throw fail(
    'IndexOptionsConflict',
    sameOptions(wanted, twin)
      ? `Index already exists with a different name: ${twin.name}`
      : `An equivalent index already exists with a different name and options. ${words(twin)}`,
  );
};

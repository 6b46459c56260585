import type { Entry, Value, Version } from '@tessera/mql/engine';
import { Doc, fail, isAtLeast, isDoc, isNumber, isTextLanguage, show, toDouble, typeName } from '@tessera/mql/engine';
import { checkWildcard, isWildcard } from './wildcard-index.js';

/** Kinds of indexes whose entries are not the values of their fields. */
export type ListedKind = 'text' | '2d' | '2dsphere' | 'wildcard';

/** An index of such a kind, in the form in which mongod stores it. */
export interface ListedIndex {
  readonly kind: ListedKind;
  readonly key: Doc;
  /** Further fields of its specification. */
  readonly more: readonly Entry[];
}

const cannot = (message: string): Error => fail('CannotCreateIndex', message);

const plugins: ReadonlySet<Value> = new Set<Value>(['text', '2d', '2dsphere', 'hashed']);

/** Whether the key is that of a text index on all fields. */
const isWholeText = (key: Doc): boolean => key.get('$**') === 'text';

/** Returns the kind of an index key, or undefined for an ordinary index. @throws CommandError 67 */
const kindOf = (key: Doc): ListedKind | undefined => {
  const used = new Set(key.entries().flatMap(([, value]) => (plugins.has(value) ? [value] : [])));
  if (used.size > 1 || (used.size === 1 && key.size > 1 && key.keys().some(isWildcard) && !isWholeText(key)))
    throw cannot("Can't use more than one index plugin for a single index.");
  const [plugin] = used;
  if (
    plugin !== undefined &&
    key.entries().some(([path, value]) => isWildcard(path) && plugins.has(value)) &&
    !isWholeText(key)
  )
    throw cannot(`Wildcard indexes do not support the index plugin '${show(plugin)}'`);
  if (plugin !== undefined) return plugin === 'hashed' ? undefined : (plugin as ListedKind);
  return key.keys().some(isWildcard) ? 'wildcard' : undefined;
};

const weightOf = (weight: Value): Value => {
  if (!isNumber(weight)) throw cannot(`text index weight must be numeric, but found: ${typeName(weight)}`);
  const n = toDouble(weight);
  if (n > 0 && n < 1_000_000_000) return weight;
  throw cannot(`text index weight must be in the exclusive interval (0,1000000000) but found: ${n}`);
};

const textOf = (spec: Doc, name: string, standard: string): string => {
  const value = spec.get(name) ?? standard;
  if (typeof value !== 'string') throw cannot(`text index option '${name}' must be a string`);
  return value;
};

/** Checks the key of a 2d index. @throws CommandError 16800, 16801 */
const checkPlaneKey = (key: Doc): void => {
  const kinds = key.entries().map(([, value]) => value);
  if (kinds.indexOf('2d') !== kinds.lastIndexOf('2d')) throw fail(16800, "can't have 2 geo fields");
  if (kinds[0] !== '2d') throw fail(16801, '2d has to be first in index');
};

/** Checks the precision and the bounds of a 2d index. @throws CommandError 72 */
const checkPlane = (spec: Doc): void => {
  const numberIn = (name: string, standard: number): number => {
    const value = spec.get(name);
    return isNumber(value) ? toDouble(value) : standard;
  };
  const bits = numberIn('bits', 26);
  if (bits < 1 || bits > 32)
    throw fail('InvalidOptions', `The bits of a 2d index must be from 1 to 32, but ${bits} were specified`);
  const [min, max] = [numberIn('min', -180), numberIn('max', 180)];
  const cellsPerUnit = 2 ** 32 / (max - min);
  if (!(cellsPerUnit > 0 && cellsPerUnit < Number.POSITIVE_INFINITY))
    throw fail('InvalidOptions', `The bounds of a 2d index must have a positive area, but are ${min} and ${max}`);
};

/**
 * Checks the options of a 2dsphere index. The levels of its cells have no effect.
 * @throws CommandError 2, 14, 67, 17395
 */
const checkSphere = (spec: Doc): void => {
  const numberIn = (name: string, standard: number): number => {
    const value = spec.get(name) ?? standard;
    if (isNumber(value)) return toDouble(value);
    throw fail('TypeMismatch', `The option ${name} must be a number`);
  };
  const version = numberIn('2dsphereIndexVersion', 3);
  if (![1, 2, 3].includes(version))
    throw Number.isInteger(version)
      ? fail(
          17395,
          `unsupported geo index version { 2dsphereIndexVersion : ${version} }, only support versions: [1,2,3]`,
        )
      : fail('BadValue', `Expected field "2dsphereIndexVersion" to be an integer, but it is ${version}`);
  const [coarsest, finest] = [numberIn('coarsestIndexedLevel', 0), numberIn('finestIndexedLevel', 23)];
  if (!(coarsest >= 0 && coarsest <= finest && finest <= 30))
    throw cannot('The levels of a 2dsphere index must be from 0 to 30, the coarsest before the finest');
};

/** Checks the key of a text index. @throws CommandError 67 */
const checkTextKey = (key: Doc): void => {
  for (const [path, value] of key) {
    if (value !== 'text') {
      if (isNumber(value) && Math.abs(Math.trunc(toDouble(value))) !== 1)
        throw cannot('expected value 1 or -1 for non-text key in compound index');
    } else if (path !== '$**' && path.split('.').some(part => part.startsWith('$'))) {
      throw cannot("Index key contains an illegal field name: field name starts with '$'.");
    }
  }
};

/**
 * Returns a text index. Its text fields are represented by one part of the key, `_fts` and `_ftsx`, and listed in the
 * weights.
 */
const textIndex = (key: Doc, spec: Doc): ListedIndex => {
  const given = spec.get('weights');
  const weights = new Map<string, Value>();
  const parts: Entry[] = [];
  let closed = false;
  for (const [path, value] of key) {
    if (value !== 'text') {
      if (path !== '_ftsx') parts.push([path, value]);
      closed ||= weights.size > 0;
      continue;
    }
    if (closed) throw cannot("'text' fields in index must all be adjacent");
    if (!parts.some(([name]) => name === '_fts')) parts.push(['_fts', 'text'], ['_ftsx', 1]);
    if (path !== '_fts') weights.set(path, 1);
  }
  if (isDoc(given)) for (const [path, weight] of given) weights.set(path, weightOf(weight));
  else if (given === '$**') weights.set(given, 1);
  else if (given !== undefined) throw cannot("text index option 'weights' must be an object");
  if (weights.size === 0) throw cannot('text index option weights cannot be empty');
  const language = textOf(spec, 'default_language', 'english');
  if (!isTextLanguage(language)) throw cannot('default_language is not valid');
  return {
    kind: 'text',
    key: Doc.of(parts),
    more: [
      ['weights', Doc.of([...weights].sort(([a], [b]) => (a < b ? -1 : 1)))],
      ['default_language', language],
      ['language_override', textOf(spec, 'language_override', 'language')],
      ['textIndexVersion', spec.get('textIndexVersion') ?? 3],
    ],
  };
};

/**
 * Returns the index if it is of a listed kind. Only a text index can be unique, because the server would not enforce it
 * for others.
 * @throws CommandError 67
 */
export const listedIndexOf = (key: Doc, spec: Doc, unique: boolean): ListedIndex | undefined => {
  const kind = kindOf(key);
  if (kind !== 'wildcard' && spec.has('wildcardProjection')) {
    throw fail('BadValue', "The field 'wildcardProjection' is only allowed in an 'wildcard' index");
  }
  if (kind !== 'text') {
    if (key.has('_fts')) throw cannot("Index key contains an illegal field name: '_fts'");
    if (spec.has('weights')) throw cannot("The field 'weights' is only allowed in a text index");
  }
  if (kind === undefined) return undefined;
  if (unique && kind !== 'text') {
    throw cannot(
      kind === 'wildcard'
        ? "Index type 'wildcard' does not support the unique option"
        : `This server does not support unique indexes of type '${kind}'`,
    );
  }
  if (kind === 'text') {
    checkTextKey(key);
    return textIndex(key, spec);
  }
  if (kind === 'wildcard') checkWildcard(key, spec);
  if (kind === '2d') {
    checkPlaneKey(key);
    checkPlane(spec);
  }
  if (kind === '2dsphere') checkSphere(spec);
  const version = '2dsphereIndexVersion';
  return { kind, key, more: kind === '2dsphere' ? [[version, spec.get(version) ?? 3]] : [] };
};

/** Returns an index as listIndexes shows it. Before 4.4 that includes the namespace. */
export const listedIndex = ({ spec }: { readonly spec: Doc }, ns: string, version: Version): Doc =>
  isAtLeast(version, '4.4') ? spec : spec.with('ns', ns);

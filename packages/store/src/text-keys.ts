/** The keys of documents in text indexes, and the indexes as queries use them. */
import type { Doc, NumberValue, TextIndex, Value } from '@tessera/mql/engine';
import { double, eachEntry, textEntries, toDouble } from '@tessera/mql/engine';
import type { Collection, IndexDefinition } from './collection.js';
import type { IndexField } from './index-keys.js';
import { fieldKey } from './key.js';

type Analysis = TextIndex['analysis'];

const read = ({ key, spec }: IndexDefinition, analysis: Analysis): TextIndex => {
  const weights = (spec.get('weights') as Doc)
    .entries()
    .map(([path, weight]) => [path, toDouble(weight as NumberValue)] as const);
  return {
    analysis,
    version: toDouble(spec.get('textIndexVersion') as NumberValue),
    weights: weights.filter(([path]) => path !== '$**').sort(([a], [b]) => (a < b ? -1 : 1)),
    isWhole: weights.some(([path]) => path === '$**'),
    language: spec.get('default_language') as string,
    override: spec.get('language_override') as string,
    prefix: key.keys().slice(0, key.keys().indexOf('_fts')),
    leads: new Set(),
    isHidden: false,
  };
};

/** Returns the value of a field beside the text. No array is on its path, except for a position such as `a.0`. */
const valueAt = (doc: Doc, field: IndexField): Value => {
  let found: Value = null;
  eachEntry([field], doc, ([value]) => {
    found = value ?? null;
  });
  return found;
};

/**
 * Returns the keys that a document has in a text index. Each has a function that returns its values: the fields before
 * the text, a term, its score, and the fields after the text.
 */
export const textKeysOf = (
  definition: IndexDefinition,
  analysis: Analysis,
): NonNullable<IndexDefinition['textKeys']> => {
  const index = read(definition, analysis);
  const { fields } = definition;
  const at = fields.findIndex(({ path }) => path === '_fts');
  return doc => {
    const found = new Map<string, () => readonly Value[]>();
    const others = fields.map((field, i) => (i === at || i === at + 1 ? null : valueAt(doc, field)));
    const keys = others.map((value, i) => fieldKey(value, fields[i]!.direction));
    const [before, after] = [keys.slice(0, at).join(''), keys.slice(at + 2).join('')];
    for (const [term, score] of textEntries(doc, index)) {
      const weight = double(score);
      // `join` creates a flat string.
      const key = [before, fieldKey(term, 1), fieldKey(weight, 1), after].join('');
      found.set(key, () => others.with(at, term).with(at + 1, weight));
    }
    return found;
  };
};

const known = new WeakMap<IndexDefinition, TextIndex>();

/** Returns the collection's text index as queries use it. A collection has at most one. */
export const textIndexOf = (
  collection: Collection | undefined,
  analysis: Analysis | undefined,
): TextIndex | undefined => {
  const definition = collection?.indexes.find(index => index.definition.kind === 'text')?.definition;
  if (definition === undefined) return undefined;
  const found = known.get(definition) ?? read(definition, analysis!);
  known.set(definition, found);
  const usable = collection!.indexes.filter(
    ({ definition: { kind, hidden, partial, sparse } }) =>
      kind === undefined && !hidden && partial === undefined && !sparse,
  );
  return {
    ...found,
    isHidden: definition.hidden,
    leads: new Set(usable.map(index => index.definition.fields[0]!.path)),
  };
};

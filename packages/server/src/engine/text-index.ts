import type { TextAnalysis } from '@tessera/contracts';
import type { Doc, NumberValue, TextIndex, Value } from '@tessera/mql/engine';
import { double, eachEntry, isDoc, textEntries, toDouble } from '@tessera/mql/engine';
import type { Collection, IndexDefinition, IndexField } from '@tessera/store';
import { fieldKey } from '@tessera/store';
import type { Loading } from './loading.js';
import { loaded } from './loading.js';

/** Analyzes texts once it is loaded. It is large, so it is loaded with the first text index. */
let analysis: TextAnalysis | undefined;

/** Whether the specification of an index is that of a text index whose languages must still be loaded. */
export const needsLanguages = (spec: Doc): boolean => {
  const key = spec.get('key');
  return analysis === undefined && isDoc(key) && key.entries().some(([, value]) => value === 'text');
};

/** Loads the languages of text indexes. */
export const loadLanguages = async (host: Loading): Promise<void> => {
  const { createTextAnalysis } = await loaded(host, import('@tessera/text'));
  analysis = createTextAnalysis();
};

const read = ({ key, spec }: IndexDefinition): TextIndex => {
  const weights = (spec.get('weights') as Doc)
    .entries()
    .map(([path, weight]) => [path, toDouble(weight as NumberValue)] as const);
  return {
    analysis: analysis!,
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
export const textKeysOf = (definition: IndexDefinition): NonNullable<IndexDefinition['textKeys']> => {
  const index = read(definition);
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
export const textIndexOf = (collection: Collection | undefined): TextIndex | undefined => {
  const definition = collection?.indexes.find(index => index.definition.kind === 'text')?.definition;
  if (definition === undefined) return undefined;
  const found = known.get(definition) ?? read(definition);
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

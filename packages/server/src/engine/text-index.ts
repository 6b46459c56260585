import type { Doc, NumberValue, TextIndex, Value } from '@tessera/mql/engine';
import { double, lookupPlainly, textEntries, toDouble } from '@tessera/mql/engine';
import type { Collection, IndexDefinition } from '@tessera/store';
import { fieldKey } from '@tessera/store';

const read = ({ key, spec }: IndexDefinition): TextIndex => {
  const weights = spec.get('weights') as Doc;
  return {
    weights: new Map(weights.entries().map(([path, weight]) => [path, toDouble(weight as NumberValue)])),
    language: spec.get('default_language') as string,
    override: spec.get('language_override') as string,
    prefix: key.keys().slice(0, key.keys().indexOf('_fts')),
    leads: new Set(),
  };
};

/**
 * Returns the keys that a document has in a unique text index, with their values: the fields before the text, a term, its
 * score, and the fields after the text.
 */
export const textKeysOf = (definition: IndexDefinition): ((doc: Doc) => ReadonlyMap<string, readonly Value[]>) => {
  const index = read(definition);
  return doc => {
    const found = new Map<string, readonly Value[]>();
    for (const [term, score] of textEntries(doc, index)) {
      const values = definition.fields.map(({ path, parts }) =>
        path === '_fts' ? term : path === '_ftsx' ? double(score) : (lookupPlainly(doc, parts) ?? null),
      );
      found.set(values.map((value, i) => fieldKey(value, definition.fields[i]!.direction)).join(''), values);
    }
    return found;
  };
};

const known = new WeakMap<IndexDefinition, TextIndex>();

/** Returns the collection's text index as queries use it. A collection has at most one. */
export const textIndexOf = (collection: Collection | undefined): TextIndex | undefined => {
  const definition = collection?.indexes.find(index => index.definition.listedOnly === 'text')?.definition;
  if (definition === undefined || definition.hidden) return undefined;
  const found = known.get(definition) ?? read(definition);
  known.set(definition, found);
  const usable = collection!.indexes.filter(
    ({ definition: { listedOnly, hidden, partial, sparse } }) =>
      listedOnly === undefined && !hidden && partial === undefined && !sparse,
  );
  return { ...found, leads: new Set(usable.map(index => index.definition.fields[0]!.path)) };
};

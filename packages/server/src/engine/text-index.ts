import type { TextIndex } from '@tessera/mql/engine';
import { isDoc, isNumber, toDouble } from '@tessera/mql/engine';
import type { Collection, IndexDefinition } from '../store/collection.js';

const read = ({ spec }: IndexDefinition): TextIndex => {
  const weights = spec.get('weights');
  const language = spec.get('default_language');
  const entries = isDoc(weights) ? weights.entries() : [];
  return {
    weights: new Map(entries.map(([path, weight]) => [path, isNumber(weight) ? toDouble(weight) : 1])),
    language: typeof language === 'string' ? language : 'english',
  };
};

const known = new WeakMap<IndexDefinition, TextIndex>();

/** Returns the collection's text index as queries use it. A collection has at most one. */
export const textIndexOf = (collection: Collection | undefined): TextIndex | undefined => {
  const definition = collection?.indexes.find(index => index.definition.listedOnly === 'text')?.definition;
  if (definition === undefined || definition.hidden) return undefined;
  const found = known.get(definition) ?? read(definition);
  known.set(definition, found);
  return found;
};

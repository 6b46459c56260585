import type { Document } from '@tessera/contracts';
import { createAnalyzers } from '../analysis/analyzers.js';
import type { Analyzer } from '../analysis/token.js';
import { Fields } from '../fields.js';
import type { Mapping } from './mapping.js';
import { readMapping } from './mapping.js';
import type { StoredSource } from './stored-source.js';
import { readStoredSource } from './stored-source.js';

/** A mapping of words to their synonyms, whose documents are in a collection. */
export interface SynonymSource {
  readonly name: string;
  readonly analyzer: Analyzer;
  readonly collection: string;
}

/** The definition of an index of type `search`. */
export interface SearchDefinition {
  readonly mapping: Mapping;
  readonly synonyms: readonly SynonymSource[];
  readonly storedSource: StoredSource | undefined;
}

const known = [
  'analyzer',
  'analyzers',
  'mappings',
  'numPartitions',
  'searchAnalyzer',
  'sort',
  'storedSource',
  'synonyms',
  'typeSets',
];

/** Reads the definition of an index of type `search`. @throws SearchError */
export const readSearchDefinition = (document: Document): SearchDefinition => {
  const fields = new Fields(document, '').allow(...known);
  const analyzers = createAnalyzers(fields.children('analyzers'));
  return {
    mapping: readMapping(fields, analyzers),
    synonyms: fields.children('synonyms').map(synonyms => {
      synonyms.allow('name', 'analyzer', 'source');
      return {
        name: synonyms.string('name'),
        analyzer: analyzers.named(synonyms.string('analyzer')),
        collection: synonyms.child('source').allow('collection').string('collection'),
      };
    }),
    storedSource: readStoredSource(fields),
  };
};

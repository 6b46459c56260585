import type { Document } from '@tessera/contracts';
import { readSearchDefinition } from './definition/definition.js';
import { invalid } from './error.js';
import { Fields } from './fields.js';
import { addFields } from './index/build.js';
import { Level } from './index/level.js';
import { operatorNames, parseNamedOperator, parseOperator } from './query/operators.js';
import type { Query } from './query/query.js';
import { constantly, noMarks } from './query/query.js';
import type { SynonymDocuments } from './query/synonyms.js';
import { createSynonyms } from './query/synonyms.js';
import type { Facet, FacetResult } from './result/facets.js';
import { readFacets } from './result/facets.js';
import type { Highlight } from './result/highlight.js';
import { readHighlighter } from './result/highlight.js';
import { readOrder } from './result/order.js';
import { readPage, tokenOf } from './result/page.js';

/** A document that matches a query. */
export interface SearchHit {
  readonly key: string;
  readonly score: number;
  /** Undefined unless the query has the option `highlight`. */
  readonly highlights: readonly Highlight[] | undefined;
  /** Undefined unless the query has the option `scoreDetails`. */
  readonly scoreDetails: Document | undefined;
  /** The stored fields; undefined unless the query has the option `returnStoredSource`. */
  readonly storedSource: Document | undefined;
  /** The value of `searchAfter` and `searchBefore` that refers to this hit. */
  readonly sequenceToken: string;
}

/** The result of `$searchMeta`, and the value of `$$SEARCH_META`. */
export interface SearchMeta {
  readonly count: { readonly total: bigint } | { readonly lowerBound: bigint };
  readonly facet?: Readonly<Record<string, FacetResult>>;
}

export interface SearchResult {
  readonly hits: readonly SearchHit[];
  readonly meta: SearchMeta;
}

/** Documents that are indexed for full-text search, by their keys. */
export interface SearchIndex {
  /** Adds a document, or replaces the one with the same key. It must not change later. */
  set(key: string, document: Document): void;
  delete(key: string): void;
  /**
   * Runs the query of a stage `$search` or `$searchMeta`.
   * @throws SearchError if the query is invalid
   */
  search(query: Document): SearchResult;
}

export interface SearchIndexOptions {
  /** Returns the documents of a collection with synonyms. By default, collections are empty. */
  readonly synonyms?: SynonymDocuments;
}

const options = [
  'concurrent',
  'count',
  'facet',
  'highlight',
  'index',
  'returnStoredSource',
  'scoreDetails',
  'searchAfter',
  'searchBefore',
  'searchNodePreference',
  'sort',
  'tracking',
];

const everything: Query = { run: level => constantly(level.units), marks: noMarks };

interface Indexed {
  readonly unit: number;
  readonly document: Document;
}

/**
 * Creates an empty index.
 * @param definition the definition of a search index of MongoDB, of type `search`
 * @throws SearchError if the definition is invalid
 */
export const createSearchIndex = (
  definition: Document,
  { synonyms: synonymDocuments = () => [] }: SearchIndexOptions = {},
): SearchIndex => {
  const { mapping, storedSource, synonyms: sources } = readSearchDefinition(definition);
  const synonyms = createSynonyms(sources, synonymDocuments);
  const level = new Level();
  const indexed = new Map<string, Indexed>();
  const keys = new Map<number, string>();

  const remove = (key: string): void => {
    const found = indexed.get(key);
    if (found === undefined) return;
    level.remove(found.unit);
    keys.delete(found.unit);
    indexed.delete(key);
  };

  const readOperator = (fields: Fields): { readonly query: Query; readonly facets: ReadonlyMap<string, Facet> } => {
    const names = [...operatorNames, 'facet'].filter(name => fields.has(name));
    const [name] = names;
    if (name === undefined || names.length > 1)
      throw invalid(
        `Exactly one operator or "facet" must be present, but there are ${names.length}. The operators are: ${operatorNames.join(', ')}.`,
      );
    if (name !== 'facet') return { query: parseNamedOperator(fields, name, synonyms), facets: new Map() };
    const facet = fields.child('facet').allow('operator', 'facets');
    return {
      query: facet.has('operator') ? parseOperator(facet.child('operator'), synonyms) : everything,
      facets: readFacets(facet.child('facets')),
    };
  };

  return {
    set: (key, document) => {
      remove(key);
      const unit = level.create();
      indexed.set(key, { unit, document });
      keys.set(unit, key);
      addFields({ level, unit, path: '', inArray: false }, mapping, document);
    },
    delete: remove,
    search: given => {
      const fields = new Fields(given, '').allow(...options, ...operatorNames);
      const { query, facets } = readOperator(fields);
      const highlight = fields.optionalChild('highlight');
      const highlighter = highlight && readHighlighter(highlight);
      const order = readOrder(fields)(level);
      const page = readPage(fields);
      const count = fields.optionalChild('count')?.allow('type', 'threshold');
      const isTotal = count?.oneOf('type', ['lowerBound', 'total'], 'lowerBound') === 'total';
      const returnsStored = fields.boolean('returnStoredSource', false);
      if (returnsStored && storedSource === undefined)
        throw invalid('"returnStoredSource" needs an index whose definition has "storedSource".');
      const explains = fields.boolean('scoreDetails', false);
      fields.boolean('concurrent', false);

      const found = [...query.run(level)].map(([unit, score]) => ({
        unit,
        key: keys.get(unit)!,
        score: Math.fround(score),
      }));
      found.sort((a, b) => order(a, b) || (a.key < b.key ? -1 : 1));
      const units = found.map(({ unit }) => unit);
      const number = BigInt(found.length);
      const places = new Map(found.map(({ key }, i) => [key, i]));
      const hits = page(found, ({ key }) => key).map(({ key, score }): SearchHit => {
        const { document } = indexed.get(key)!;
        return {
          key,
          score,
          highlights: highlighter?.(document, level, query),
          scoreDetails: explains
            ? { value: score, description: 'sum of the scores of the operators', details: [] }
            : undefined,
          storedSource: returnsStored ? storedSource!(document) : undefined,
          sequenceToken: tokenOf(places.get(key)!, key),
        };
      });
      return {
        hits,
        meta: {
          count: isTotal ? { total: number } : { lowerBound: number },
          ...(facets.size === 0
            ? {}
            : { facet: Object.fromEntries([...facets].map(([name, facet]) => [name, facet(level, units)])) }),
        },
      };
    },
  };
};

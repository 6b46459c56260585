/** Full-text and vector search over documents. */
export { SearchError } from './error.js';
export type { SynonymDocuments } from './query/synonyms.js';
export type { Bucket, FacetResult } from './result/facets.js';
export type { Highlight, HighlightText } from './result/highlight.js';
export type { SearchHit, SearchIndex, SearchIndexOptions, SearchMeta, SearchResult } from './search-index.js';
export { createSearchIndex } from './search-index.js';
export type { VectorHit, VectorIndex } from './vector/vector-index.js';
export { createVectorIndex } from './vector/vector-index.js';

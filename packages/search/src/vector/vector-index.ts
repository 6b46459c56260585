import type { Document } from '@tessera/contracts';
import { invalid } from '../error.js';
import { Fields } from '../fields.js';
import type { Scalar } from '../values.js';
import { isDocument, scalarOf } from '../values.js';
import type { FilterValues } from './filter.js';
import { parseFilter } from './filter.js';
import type { Vector } from './vectors.js';
import { isZero, similarities, vectorOf } from './vectors.js';

/** A document that is similar to the query. */
export interface VectorHit {
  readonly key: string;
  /** Between 0 and 1. */
  readonly score: number;
}

/** Documents whose vectors are indexed, by their keys. */
export interface VectorIndex {
  /** Adds a document, or replaces the one with the same key. It must not change later. */
  set(key: string, document: Document): void;
  delete(key: string): void;
  /**
   * Runs the query of a stage `$vectorSearch`. All results are exact.
   * @throws SearchError if the query is invalid
   */
  search(query: Document): readonly VectorHit[];
}

interface VectorField {
  readonly path: string;
  readonly dimensions: number;
  readonly similarity: keyof typeof similarities;
}

interface Definition {
  readonly vectors: ReadonlyMap<string, VectorField>;
  readonly filters: ReadonlySet<string>;
}

const mostDimensions = 8192;

const readVector = (fields: Fields): VectorField => {
  fields.allow('type', 'path', 'numDimensions', 'similarity', 'quantization', 'hnswOptions', 'indexingMethod');
  fields.oneOf('quantization', ['none', 'scalar', 'binary'], 'none');
  return {
    path: fields.string('path'),
    dimensions: fields.integer('numDimensions', { from: 1, to: mostDimensions }),
    similarity: fields.oneOf('similarity', ['cosine', 'dotProduct', 'euclidean']),
  };
};

const readDefinition = (document: Document): Definition => {
  const definition = new Fields(document, '').allow('fields', 'numPartitions', 'storedSource');
  const vectors = new Map<string, VectorField>();
  const filters = new Set<string>();
  for (const fields of definition.children('fields')) {
    if (fields.oneOf('type', ['vector', 'filter']) === 'filter') {
      filters.add(fields.allow('type', 'path').string('path'));
      continue;
    }
    const vector = readVector(fields);
    if (vectors.has(vector.path)) throw fields.problem('path', `"${vector.path}" is indexed as vector twice`);
    vectors.set(vector.path, vector);
  }
  if (vectors.size === 0) throw invalid('"fields" must have at least one field of type "vector".');
  return { vectors, filters };
};

/** Returns the value at a path. Documents within arrays are not searched. */
const valueAt = (document: Document, path: string): unknown => {
  let value: unknown = document;
  for (const part of path.split('.')) {
    if (!isDocument(value) || !Object.hasOwn(value, part)) return undefined;
    value = value[part];
  }
  return value;
};

const scalarsAt = (document: Document, path: string): readonly Scalar[] => {
  const value = valueAt(document, path);
  return (Array.isArray(value) ? value : [value]).flatMap(item => scalarOf(item) ?? []);
};

interface Indexed {
  readonly vectors: ReadonlyMap<string, Vector>;
  readonly filters: FilterValues;
}

const mostCandidates = 10_000;

/** Returns the number of requested results. @throws SearchError */
const limitOf = (fields: Fields): number => {
  const limit = fields.positive('limit');
  if (!Number.isInteger(limit)) throw fields.problem('limit', 'must be an integer');
  if (fields.boolean('exact', false)) {
    if (fields.has('numCandidates')) throw fields.problem('numCandidates', 'must be omitted if "exact" is true');
    return limit;
  }
  if (!fields.has('numCandidates')) throw fields.problem('numCandidates', 'is required unless "exact" is true');
  const candidates = fields.integer('numCandidates', { from: 1, to: mostCandidates });
  if (limit > candidates) throw fields.problem('limit', 'cannot exceed "numCandidates"');
  return limit;
};

/** Returns the vector of the query. @throws SearchError if it does not fit the field */
const queryVectorOf = (fields: Fields, { path, dimensions, similarity }: VectorField): Vector => {
  const vector = vectorOf(fields.required('queryVector'));
  if (vector === undefined) throw fields.problem('queryVector', 'must be an array of numbers or a BSON vector');
  const { length } = vector.numbers;
  if (length !== dimensions)
    throw invalid(`Vector field "${path}" is indexed with ${dimensions} dimensions but queried with ${length}.`);
  if (vector.kind === 'bits' && similarity !== 'euclidean')
    throw invalid(
      `Vectors of bits need an index with the similarity "euclidean", but that of "${path}" is "${similarity}".`,
    );
  if (similarity === 'cosine' && isZero(vector))
    throw fields.problem('queryVector', 'must not be all zeros, because the similarity is "cosine"');
  return vector;
};

/**
 * Creates an empty index.
 * @param definition the definition of a search index of MongoDB, of type `vectorSearch`
 * @throws SearchError if the definition is invalid
 */
export const createVectorIndex = (definition: Document): VectorIndex => {
  const { vectors, filters } = readDefinition(definition);
  const indexed = new Map<string, Indexed>();

  const vectorsOf = (document: Document): ReadonlyMap<string, Vector> => {
    const found = new Map<string, Vector>();
    for (const { path, dimensions, similarity } of vectors.values()) {
      const vector = vectorOf(valueAt(document, path));
      if (vector?.numbers.length !== dimensions || (similarity === 'cosine' && isZero(vector))) continue;
      found.set(path, vector);
    }
    return found;
  };

  return {
    set: (key, document) => {
      indexed.set(key, {
        vectors: vectorsOf(document),
        filters: new Map([...filters].map(path => [path, scalarsAt(document, path)])),
      });
    },
    delete: key => {
      indexed.delete(key);
    },
    search: query => {
      const fields = new Fields(query, '').allow(
        ...['index', 'path', 'queryVector', 'limit', 'numCandidates', 'exact', 'filter'],
        ...['explainOptions', 'searchNodePreference'],
      );
      const path = fields.string('path');
      const limit = limitOf(fields);
      const field = vectors.get(path);
      if (field === undefined) throw invalid(`Path '${path}' needs to be indexed as vector.`);
      const wanted = queryVectorOf(fields, field);
      const passes = parseFilter(fields.optionalChild('filter')?.document ?? {}, filters);
      const similarity = similarities[field.similarity];
      const hits: VectorHit[] = [];
      for (const [key, document] of indexed) {
        const vector = document.vectors.get(path);
        // Vectors of different types are not compared.
        if (vector?.kind !== wanted.kind || !passes(document.filters)) continue;
        hits.push({ key, score: Math.fround(similarity(vector, wanted)) });
      }
      hits.sort((a, b) => b.score - a.score || (a.key < b.key ? -1 : 1));
      return hits.slice(0, limit);
    },
  };
};

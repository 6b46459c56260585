import type { Postings, TextField } from '../index/text-field.js';
import type { Hits } from './query.js';

/** The parameters of BM25 in Lucene: saturation of frequencies, and normalization of lengths. */
const k1 = 1.2;
const b = 0.75;

/** Returns the weight of a term: rare terms weigh more. */
export const idfOf = (field: TextField, units: number): number =>
  Math.log(1 + (field.units - units + 0.5) / (units + 0.5));

/** Returns the score of a term that occurs so often in a unit. */
export const saturated = (field: TextField, unit: number, frequency: number): number => {
  const average = field.averageLength;
  const length = average === 0 ? 1 : field.lengthOf(unit) / average;
  return frequency / (frequency + k1 * (1 - b + b * length));
};

/** Returns the scores of the units that have a term. */
export const scoresOf = (field: TextField, postings: Postings, boost = 1): Hits => {
  const idf = idfOf(field, postings.size) * boost;
  const hits: Hits = new Map();
  for (const [unit, positions] of postings) hits.set(unit, idf * saturated(field, unit, positions.length));
  return hits;
};

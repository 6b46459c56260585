import type { TextField } from '../index/text-field.js';
import { idfOf, saturated, scoresOf } from './bm25.js';
import type { Hits } from './query.js';

/** A term of a phrase, and the terms that may stand in its place. */
export interface PhraseTerm {
  readonly terms: readonly string[];
  /** The number of the word within the phrase. */
  readonly position: number;
}

/**
 * Returns how often terms occur near each other. Occurrences in order count 1; others count less the more the terms must
 * be moved.
 * @param lists for each term, its positions minus its position in the phrase, in ascending order
 */
const frequencyOf = (lists: readonly (readonly number[])[], slop: number): number => {
  const at = lists.map(() => 0);
  let frequency = 0;
  let last = Number.NaN;
  for (;;) {
    let lowest = 0;
    let min = Number.POSITIVE_INFINITY;
    let max = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < lists.length; i++) {
      const position = lists[i]![at[i]!];
      if (position === undefined) return frequency;
      if (position < min) [min, lowest] = [position, i];
      if (position > max) max = position;
    }
    // Only the narrowest window that ends at a position counts.
    const next = lists[lowest]![at[lowest]! + 1];
    const isNarrowest = next === undefined || next > max;
    if (max - min <= slop && isNarrowest && max !== last) {
      frequency += 1 / (1 + max - min);
      last = max;
    }
    at[lowest]!++;
  }
};

const positionsOf = (field: TextField, unit: number, { terms, position }: PhraseTerm): readonly number[] => {
  const found = terms.flatMap(term => field.postings(term)?.get(unit) ?? []).map(each => each - position);
  return terms.length > 1 ? found.toSorted((a, b) => a - b) : found;
};

/** Returns the scores of the units that have a phrase. */
export const phraseScores = (field: TextField, phrase: readonly PhraseTerm[], slop: number): Hits => {
  const hits: Hits = new Map();
  if (phrase.length === 0) return hits;
  const [first] = phrase;
  if (phrase.length === 1 && first!.terms.length === 1) {
    const postings = field.postings(first!.terms[0]!);
    return postings === undefined ? hits : scoresOf(field, postings);
  }
  const candidates = new Set(first!.terms.flatMap(term => [...(field.postings(term)?.keys() ?? [])]));
  const idf = phrase.reduce((sum, { terms }) => {
    const units = Math.max(...terms.map(term => field.postings(term)?.size ?? 0));
    return sum + idfOf(field, units);
  }, 0);
  for (const unit of candidates) {
    const lists = phrase.map(term => positionsOf(field, unit, term));
    const frequency = frequencyOf(lists, slop);
    if (frequency > 0) hits.set(unit, idf * saturated(field, unit, frequency));
  }
  return hits;
};

/** Returns the terms of a text with their positions, as a field's queries analyze it. */
export const phraseOf = (field: TextField, text: string): readonly PhraseTerm[] => {
  const byPosition = new Map<number, string[]>();
  for (const { term, position } of field.searchAnalyzer.analyze(text)) {
    const terms = byPosition.get(position);
    if (terms === undefined) byPosition.set(position, [term]);
    else terms.push(term);
  }
  return [...byPosition].map(([position, terms]) => ({ position, terms }));
};

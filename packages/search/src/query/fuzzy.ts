import type { Fields } from '../fields.js';
import type { TextField } from '../index/text-field.js';

export interface Fuzzy {
  readonly maxEdits: number;
  readonly prefixLength: number;
  readonly maxExpansions: number;
}

/** A term of the index that resembles a term of the query. */
export interface Expansion {
  readonly term: string;
  /** The factor of its score: 1 for the same term. */
  readonly boost: number;
}

/** Reads `fuzzy`. @throws SearchError */
export const readFuzzy = (fields: Fields): Fuzzy | undefined => {
  const fuzzy = fields.optionalChild('fuzzy')?.allow('maxEdits', 'prefixLength', 'maxExpansions');
  return (
    fuzzy && {
      maxEdits: fuzzy.optionalInteger('maxEdits', { from: 1, to: 2 }, 2),
      prefixLength: fuzzy.optionalInteger('prefixLength', { from: 0, to: 1000 }, 0),
      maxExpansions: fuzzy.optionalInteger('maxExpansions', { from: 1, to: 1000 }, 50),
    }
  );
};

/** Returns the number of edits between two words, or more than `most`. An edit may swap two adjacent characters. */
export const editsOf = (a: readonly string[], b: readonly string[], most: number): number => {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row: number[] = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let edits = Math.min(row[j - 1]! + 1, last[j]! + 1, last[j - 1]! + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        edits = Math.min(edits, beforeLast[j - 2]! + 1);
      row.push(edits);
    }
    if (Math.min(...row) > most) return most + 1;
    [beforeLast, last] = [last, row];
  }
  return last.at(-1)!;
};

/** Returns whether a term resembles another, and the factor of its score. */
export const resemblance = (term: string, other: string, { maxEdits, prefixLength }: Fuzzy): number | undefined => {
  const chars = [...term];
  const others = [...other];
  for (let i = 0; i < prefixLength; i++) if (chars[i] !== others[i]) return undefined;
  const edits = editsOf(chars, others, maxEdits);
  if (edits > maxEdits) return undefined;
  const shorter = Math.min(chars.length, others.length);
  return edits < shorter ? 1 - edits / shorter : undefined;
};

/** Returns the terms of a field that a term of a query matches, the most similar first. */
export const expansionsOf = (field: TextField, term: string, fuzzy: Fuzzy | undefined): readonly Expansion[] => {
  if (fuzzy === undefined) return field.postings(term) === undefined ? [] : [{ term, boost: 1 }];
  const found: Expansion[] = [];
  for (const other of field.terms) {
    const boost = resemblance(term, other, fuzzy);
    if (boost !== undefined) found.push({ term: other, boost });
  }
  return found.toSorted((a, b) => b.boost - a.boost).slice(0, fuzzy.maxExpansions);
};

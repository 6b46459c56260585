import type { Level } from '../index/level.js';
import type { TextField } from '../index/text-field.js';

/** The scores of the units that match. */
export type Hits = Map<number, number>;

/** Returns whether a term of a field is highlighted. */
export type Mark = (term: string) => boolean;

/** A parsed operator. */
export interface Query {
  run(level: Level): Hits;
  /** Returns the terms of a field that the operator highlights. */
  marks(field: TextField): readonly Mark[];
}

export const noMarks = (): readonly Mark[] => [];

/** Adds scores to those of units that have matched already. */
export const addScores = (to: Hits, more: Hits): void => {
  for (const [unit, score] of more) to.set(unit, (to.get(unit) ?? 0) + score);
};

/** Returns the same score for every unit. */
export const constantly = (units: Iterable<number>, score = 1): Hits => {
  const hits: Hits = new Map();
  for (const unit of units) hits.set(unit, score);
  return hits;
};

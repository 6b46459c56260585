import { drawFrom } from '../documents/chance.js';

/** A document that both libraries process. */
export interface Person {
  readonly _id: number;
  readonly name: string;
  readonly age: number;
  readonly score: number;
  readonly tags: readonly string[];
  readonly address: { readonly city: string; readonly zip: number };
}

export type Documents = readonly Person[];

/** Returns documents that are the same in every run. */
export const personsOf = (count: number): Documents => {
  const draw = drawFrom(12_345);
  return Array.from({ length: count }, (_, i) => ({
    _id: i,
    name: `name${draw(1_000)}`,
    age: draw(100),
    score: (draw(2 ** 32) / 2 ** 32) * 100,
    tags: [`a${i % 5}`, `b${i % 7}`],
    address: { city: `c${i % 50}`, zip: i },
  }));
};

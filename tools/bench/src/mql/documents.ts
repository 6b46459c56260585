/** One of the documents that both libraries work on. */
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
  let state = 12_345;
  const unit = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return Array.from({ length: count }, (_, i) => ({
    _id: i,
    name: `name${Math.floor(unit() * 1_000)}`,
    age: Math.floor(unit() * 100),
    score: unit() * 100,
    tags: [`a${i % 5}`, `b${i % 7}`],
    address: { city: `c${i % 50}`, zip: i },
  }));
};

export interface GramOptions {
  /** The lengths of the shortest and the longest gram, in characters. */
  readonly min: number;
  readonly max: number;
  /** `left`: prefixes; `right`: suffixes; `any`: all parts. */
  readonly side: 'left' | 'right' | 'any';
}

/** A part of a text. */
export interface Gram {
  readonly term: string;
  readonly start: number;
  readonly end: number;
}

/** Returns the parts of a text whose length is within the limits. */
export const gramsOf = (text: string, { min, max, side }: GramOptions): readonly Gram[] => {
  const offsets: number[] = [];
  let at = 0;
  for (const char of text) {
    offsets.push(at);
    at += char.length;
  }
  offsets.push(text.length);
  const length = offsets.length - 1;
  const grams: Gram[] = [];
  const add = (from: number, to: number): void => {
    const [start, end] = [offsets[from]!, offsets[to]!];
    grams.push({ term: text.slice(start, end), start, end });
  };
  const largest = Math.min(max, length);
  if (side === 'left') for (let size = min; size <= largest; size++) add(0, size);
  else if (side === 'right') for (let size = min; size <= largest; size++) add(length - size, length);
  else {
    for (let from = 0; from < length; from++)
      for (let size = min; size <= Math.min(largest, length - from); size++) add(from, from + size);
  }
  return grams;
};

/**
 * Returns pseudo-random integers from 0 up to (not including) a limit. Rule: linear congruential generator modulo 2³².
 */
export type Draw = (limit: number) => number;

/** Creates a generator. The same seed gives the same numbers. */
export const drawFrom = (seed: number): Draw => {
  let state = seed >>> 0;
  return limit => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
};

export type Text = (least: number, most: number) => string;

/** Generates texts of lower-case words with two to ten letters. A tenth of the texts ends with non-ASCII characters. */
export const textFrom = (draw: Draw): Text => {
  const word = (): string =>
    String.fromCharCode(...Array.from({ length: 2 + draw(9) }, () => 'a'.charCodeAt(0) + draw(26)));
  return (least, most) => {
    const length = least + draw(most - least);
    let text = word();
    while (text.length < length) text += ` ${word()}`;
    return draw(10) === 0 ? `${text.slice(0, length)} é漢字😀` : text.slice(0, length);
  };
};

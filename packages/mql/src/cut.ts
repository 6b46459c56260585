/** Returns the text, or its start and `...` if it is longer than this number of characters. */
export const cut = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '')}...` : text;

import type { ParsedSearch } from '@tessera/contracts';

/** White space, a quotation mark, a hyphen, or other characters. */
const parts = /([\n\v\f\r ]+)|["-]|[^\n\v\f\r "-]+/g;

/**
 * Parses words, `"phrases"` and negations. A hyphen after white space or at the start negates the words and phrases up to
 * the next white space: `-a-b` negates both words, and `a-b` and `- a` negate none.
 */
export const parseSearch = (search: string): ParsedSearch => {
  const wanted: string[] = [];
  const negated: string[] = [];
  const phrases: string[] = [];
  const negatedPhrases: string[] = [];
  let negates = false;
  let start: number | undefined;
  let spaced = true;
  for (const { 0: part, 1: space, index } of search.matchAll(parts)) {
    if (space !== undefined) {
      spaced = true;
      continue;
    }
    if (part === '-') {
      negates ||= start === undefined && spaced;
    } else if (part !== '"') {
      negates &&= !spaced || start !== undefined;
      if (!negates) wanted.push(part);
      else if (start === undefined) negated.push(part);
    } else if (start === undefined) {
      negates &&= !spaced;
      start = index + 1;
    } else {
      (negates ? negatedPhrases : phrases).push(search.slice(start, index));
      start = undefined;
    }
    spaced = false;
  }
  return { wanted: wanted.join(' '), negated: negated.join(' '), phrases, negatedPhrases };
};

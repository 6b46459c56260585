import type { Fields } from '../fields.js';
import { fromBase64, toBase64 } from './base64.js';

const format = /^\d+:/;

/** A place in a list of results, as text: the number of the result and its key. */
export const tokenOf = (index: number, key: string): string => toBase64(`${index}:${key}`);

const decoded = (fields: Fields, name: string): { readonly index: number; readonly key: string } => {
  const text = fromBase64(fields.string(name));
  if (text === undefined || !format.test(text))
    throw fields.problem(name, 'is not a token of { $meta: "searchSequenceToken" }');
  return { index: Number.parseInt(text, 10), key: text.slice(text.indexOf(':') + 1) };
};

/** Selects the results after or before another result. */
export type Page = <T>(results: readonly T[], keyOf: (result: T) => string) => readonly T[];

/** Parses `searchAfter` and `searchBefore`. @throws SearchError */
export const readPage = (fields: Fields): Page => {
  const after = fields.has('searchAfter') ? decoded(fields, 'searchAfter') : undefined;
  const before = fields.has('searchBefore') ? decoded(fields, 'searchBefore') : undefined;
  if (after !== undefined && before !== undefined)
    throw fields.problem('searchAfter', 'cannot be used with "searchBefore"');
  const token = after ?? before;
  return (results, keyOf) => {
    if (token === undefined) return results;
    const at = results.findIndex(result => keyOf(result) === token.key);
    // A result that is gone leaves its place to the next one.
    const [end, start] = at < 0 ? [token.index, token.index] : [at, at + 1];
    return after === undefined ? results.slice(0, end).toReversed() : results.slice(start);
  };
};

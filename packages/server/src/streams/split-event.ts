import type { Entry } from '@tessera/mql/engine';
import { Doc, compareStrings, fail } from '@tessera/mql/engine';
import type { EventToken, TokenVersion } from './resume-token.js';
import { tokenDoc } from './resume-token.js';

/** The maximum size of an event or a fragment, in bytes. */
export const maxEventBytes: number = 16 * 1024 * 1024;

const sizeOf = (entry: Entry): number => Doc.of([entry]).byteLength - 5;

/** Returns the first fields of a fragment. */
const head = (token: EventToken, fragment: number, of: number, version: TokenVersion): readonly Entry[] => [
  ['_id', tokenDoc({ ...token, fragment }, version)],
  [
    'splitEvent',
    Doc.of([
      ['fragment', fragment + 1],
      ['of', of],
    ]),
  ],
];

/**
 * Splits a large event into fragments. Fields are added in order of size, the smallest first, and each fragment gets as
 * many as fit.
 * @throws CommandError 7182500 for a field that is too large by itself
 */
export const splitEvent = (event: Doc, token: EventToken, version: TokenVersion): readonly Doc[] => {
  const fields = event
    .entries()
    .filter(([name]) => name !== '_id')
    .map(entry => ({ entry, size: sizeOf(entry) }))
    .sort((a, b) => a.size - b.size || compareStrings(a.entry[0], b.entry[0]));
  // The reply contains the token once more.
  const room = maxEventBytes - tokenDoc(token, version).byteLength;
  const parts: Entry[][] = [];
  let used = Number.POSITIVE_INFINITY;
  for (const { entry, size } of fields) {
    if (used + size > room) {
      used = Doc.of(head(token, parts.length, 0, version)).byteLength;
      parts.push([]);
      if (used + size > room) {
        throw fail(
          7182500,
          `Splitting change event failed: fragment size ${used + size} is greater than maximum allowed fragment size ${room}`,
        );
      }
    }
    parts.at(-1)!.push(entry);
    used += size;
  }
  return parts.map((part, i) => Doc.of([...head(token, i, parts.length, version), ...part]));
};

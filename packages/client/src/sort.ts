import type { Sort, SortDirection } from '@tessera/contracts';
import { MongoInvalidArgumentError } from './errors.js';
import { shown } from './operation-options.js';

export type { Sort };

const directions: ReadonlyMap<string, 1 | -1> = new Map([
  ['1', 1],
  ['-1', -1],
  ['asc', 1],
  ['ascending', 1],
  ['desc', -1],
  ['descending', -1],
]);

/** Returns the text of a direction. The BSON numbers Int32, Double and Long convert to strings. */
const textOf = (given: unknown): string => {
  try {
    return String(given).toLowerCase();
  } catch {
    return '';
  }
};

const direction = (given: unknown): 1 | -1 | { readonly $meta: string } => {
  if (typeof given === 'object' && given !== null && '$meta' in given) return given as { $meta: string };
  const known = directions.get(textOf(given));
  if (known === undefined)
    throw new MongoInvalidArgumentError(
      `Unknown sort direction ${shown(given)}. Use 1, -1, 'asc', 'desc' or { $meta }.`,
    );
  return known;
};

const isPair = (sort: readonly unknown[]): boolean =>
  sort.length === 2 &&
  typeof sort[0] === 'string' &&
  (typeof sort[1] !== 'string' || directions.has(sort[1].toLowerCase()));

/**
 * Returns the sort in the form of the command: a Map, which keeps the order of keys that look like numbers. Undefined
 * for an empty sort.
 */
export const sortDocument = (
  sort: Sort | undefined | null,
  order?: SortDirection,
): Map<string, unknown> | undefined => {
  if (sort === undefined || sort === null) return undefined;
  if (typeof sort !== 'string' && typeof (sort as unknown) !== 'object')
    throw new MongoInvalidArgumentError(`A sort cannot be a ${typeof sort}. Give the fields and their directions.`);
  const pairs: Iterable<readonly [string, unknown]> =
    typeof sort === 'string'
      ? [[sort, order ?? 1]]
      : sort instanceof Map
        ? (sort as ReadonlyMap<string, SortDirection>)
        : !Array.isArray(sort)
          ? Object.entries(sort)
          : isPair(sort)
            ? [sort as unknown as readonly [string, unknown]]
            : (sort as readonly unknown[]).map(one =>
                Array.isArray(one) ? (one as unknown as readonly [string, unknown]) : [String(one), 1],
              );
  const document = new Map<string, unknown>();
  for (const [path, given] of pairs) document.set(path, direction(given));
  return document.size === 0 ? undefined : document;
};

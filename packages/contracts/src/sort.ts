/** The order of one sort key: ascending, descending, or by a metadata field such as the text score. */
export type SortDirection = 1 | -1 | 'asc' | 'desc' | 'ascending' | 'descending' | { $meta: string };

/**
 * A sort, in one of these forms:
 *
 * - an object, a Map or a list of pairs: fields with their directions;
 * - one pair of a field and its direction, such as `['year', -1]`. A list of two strings is a pair if the second is a direction;
 * - a field or a list of fields, which are sorted in ascending order;
 * - `1` or `-1`: sorts array items by their own value. Only for `$sort` of the update operator `$push`.
 */
export type Sort =
  | string
  | 1
  | -1
  | Readonly<Record<string, SortDirection>>
  | ReadonlyMap<string, SortDirection>
  | readonly (readonly [string, SortDirection])[]
  | readonly [string, SortDirection]
  | readonly string[];

/** The order of one sort key: ascending, descending, or by a metadata field such as the text score. */
export type SortDirection = 1 | -1 | 'asc' | 'desc' | 'ascending' | 'descending' | { $meta: string };

/** A sort: fields with directions, as an object, a Map or pairs, or field names, which are sorted in ascending order. */
export type Sort =
  | string
  | 1
  | -1
  | Readonly<Record<string, SortDirection>>
  | ReadonlyMap<string, SortDirection>
  | readonly (readonly [string, SortDirection])[]
  | readonly [string, SortDirection]
  | readonly string[];

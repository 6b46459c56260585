import { CommandError, fail } from '../errors.js';
import { toDouble } from '../value/numbers.js';
import { show } from '../value/show.js';
import { Doc } from '../value/doc.js';
import type { Value } from '../value/value.js';
import { isArray, isDoc, isNumber } from '../value/value.js';

/** The elements to keep. A negative `skip` counts from the end. */
export interface Slice {
  readonly skip: number;
  readonly limit: number;
}

/**
 * Reads `{ $slice: n }` or `{ $slice: [skip, limit] }` in the syntax of `find`. Returns undefined for other arguments.
 */
export const readSlice = (argument: Value): Slice | undefined => {
  if (isNumber(argument)) {
    const count = Math.trunc(toDouble(argument)) || 0;
    return count < 0 ? { skip: count, limit: -count } : { skip: 0, limit: count };
  }
  if (!isArray(argument) || argument.length !== 2) return undefined;
  const [skip, limit] = argument;
  if (!isNumber(skip) || !isNumber(limit)) return undefined;
  const most = Math.trunc(toDouble(limit)) || 0;
  return most > 0 ? { skip: Math.trunc(toDouble(skip)) || 0, limit: most } : undefined;
};

/** Throws mongod's error for an argument that is neither valid in `find` nor as an expression. */
export const refuseSlice = (argument: Value, error: unknown): never => {
  if (!(error instanceof CommandError) || error.code !== 28667) throw error;
  const reason = isArray(argument)
    ? 'Location31272: $slice array argument should be of form [skip, limit]'
    : 'Location31273: $slice only supports numbers and [skip, limit] arrays';
  throw fail(
    error.code,
    `Invalid $slice syntax. The given syntax ${show(Doc.of([['$slice', argument]]))} did not match the find() syntax because :: ${reason} :: The given syntax did not match the expression $slice syntax. :: caused by :: ${error.message}`,
  );
};

const cut = (items: readonly Value[], { skip, limit }: Slice): readonly Value[] => {
  const start = skip < 0 ? Math.max(0, items.length + skip) : Math.min(skip, items.length);
  return items.slice(start, Math.min(items.length, start + limit));
};

const sliceIn = (value: Value, parts: readonly string[], from: number, slice: Slice): Value => {
  if (from === parts.length) return isArray(value) ? cut(value, slice) : value;
  if (isArray(value)) return value.map(item => (isDoc(item) ? sliceIn(item, parts, from, slice) : item));
  if (!isDoc(value)) return value;
  const inner = value.get(parts[from]!);
  return inner === undefined ? value : value.with(parts[from]!, sliceIn(inner, parts, from + 1, slice));
};

/** Slices the arrays at the path. The path goes through the documents of arrays. */
export const sliceAt = (doc: Doc, parts: readonly string[], slice: Slice): Doc => sliceIn(doc, parts, 0, slice) as Doc;

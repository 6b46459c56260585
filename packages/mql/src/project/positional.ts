import { fail } from '../errors.js';
import type { Doc } from '../value/doc.js';
import type { Value } from '../value/value.js';
import { isArray, isDoc } from '../value/value.js';

const pick = (items: readonly Value[], position: number | undefined): readonly Value[] => {
  if (position === undefined) {
    throw fail(51246, `positional operator '.$' couldn't find a matching element in the array`);
  }
  const item = items[position];
  if (item === undefined) throw fail(51247, `positional operator '.$' element mismatch`);
  return [item];
};

const pickIn = (value: Value, parts: readonly string[], from: number, position: number | undefined): Value => {
  if (isArray(value)) return pick(value, position);
  if (!isDoc(value) || from === parts.length) return value;
  const inner = value.get(parts[from]!);
  return inner === undefined ? value : value.with(parts[from]!, pickIn(inner, parts, from + 1, position));
};

/**
 * Reduces the first array on the path to the element at the position. Documents without an array on the path are not
 * changed.
 * @throws CommandError 51246 without a position, 51247 if the position is beyond the array
 */
export const pickPosition = (doc: Doc, parts: readonly string[], position: number | undefined): Doc =>
  pickIn(doc, parts, 0, position) as Doc;

import { fail } from '../errors.js';
import { Doc } from '../value/doc.js';
import { showDoc } from '../value/show.js';
import type { Value } from '../value/value.js';
import { isArray, isDoc, UNDEFINED } from '../value/value.js';

/** The rest of a path: it starts at the document of this level, or at an element that a position selected. */
interface Onward {
  readonly rest: readonly string[];
  readonly element?: { readonly value: Value; readonly where: string };
}

/** A field's known value (undefined if missing), or the rest of its path. */
type Part = { readonly value: Value | undefined } | Onward;

/** The first thing that a path reaches: its end, or an array with a part of the path left. */
type Met =
  | { readonly value: Value | undefined }
  | {
      readonly array: readonly Value[];
      readonly at: string;
      readonly rest: readonly string[];
      /** The path from the outermost document. It is equal for the same array. */
      readonly where: string;
    };

type MetArray = Extract<Met, { readonly array: unknown }>;

/** Returns whether a part of a path may be an array index. */
export const isPosition = (part: string): boolean => /^(?:0|[1-9]\d*)$/.test(part);

const walk = (from: Value | undefined, parts: readonly string[], where: string): Met => {
  let value = from;
  for (let i = 0; i <= parts.length; i++) {
    if (isArray(value)) {
      const at = parts.slice(0, i).join('.');
      return { array: value, at, rest: parts.slice(i), where: `${where}.${at}` };
    }
    if (i === parts.length) break;
    if (!isDoc(value)) return { value: undefined };
    value = value.get(parts[i]!);
  }
  return { value };
};

const meet = (base: Value | undefined, where: string, part: Part): Met => {
  if ('value' in part) return part;
  const { element, rest } = part;
  if (element === undefined) return walk(base, rest, where);
  // An element selected by its position is one value, even if it is an array. An empty array is indexed as undefined.
  if (rest.length > 0 || !isArray(element.value)) return walk(element.value, rest, element.where);
  return { value: element.value.length === 0 ? UNDEFINED : element.value };
};

/** Returns the position that the path continues with, if the array has such an element. */
const positionIn = ({ array, rest }: MetArray): number | undefined => {
  const position = rest[0] !== undefined && isPosition(rest[0]) ? Number(rest[0]) : array.length;
  return position < array.length ? position : undefined;
};

/** @throws CommandError 16746 if the next part is both a position in the array and a field of one of its documents */
const requireUnambiguous = ({ array, rest }: MetArray): void => {
  if (!array.some(item => isDoc(item) && item.has(rest[0]!))) return;
  const shown = showDoc(Doc.of(array.map((item, i) => [String(i), item] as const)));
  throw fail(
    16746,
    `Ambiguous field name found in array (do not use numeric field names in embedded elements in an array), field: '${rest[0]!}' for array: ${shown}`,
  );
};

/** Receives one index entry: the values in the order of the index's fields. Missing values are undefined. */
export type Emit = (values: readonly (Value | undefined)[]) => void;

/** Emits all combinations of values that a document has in an index. mongod: BtreeKeyGenerator. */
const expand = (base: Value | undefined, where: string, parts: readonly Part[], emit: Emit): boolean => {
  const met = parts.map(part => meet(base, where, part));
  const arrays = met.filter(one => 'array' in one);
  const first = arrays[0];
  if (first === undefined) {
    emit(met.map(one => (one as { readonly value: Value | undefined }).value));
    return false;
  }
  const other = arrays.find(one => one.where !== first.where);
  if (other !== undefined) {
    throw fail(171, `cannot index parallel arrays [${other.at}] [${first.at}]`);
  }
  const chosen = arrays.filter(one => positionIn(one) !== undefined);
  chosen.forEach(requireUnambiguous);
  const next = (item: Value | undefined): readonly Part[] =>
    met.map((one): Part => {
      if (!('array' in one)) return one;
      // An empty array is indexed as undefined if the path ends there, and as null if the path goes on.
      if (one.rest.length === 0) return { value: item === undefined ? UNDEFINED : item };
      const position = positionIn(one);
      if (position !== undefined) {
        const element = { value: one.array[position]!, where: `${one.where}.${position}` };
        return { rest: one.rest.slice(1), element };
      }
      return isDoc(item) ? { rest: one.rest } : { value: undefined };
    });
  // With positions only, every element would give the same entries.
  if (chosen.length === arrays.length) return expand(undefined, where, next(undefined), emit);
  const items: readonly (Value | undefined)[] = first.array.length > 0 ? first.array : [undefined];
  items.forEach((item, i) => expand(item, `${first.where}.${i}`, next(item), emit));
  return true;
};

/**
 * Emits the values of every entry that the document has in an index of the fields. Returns whether a path met an array.
 */
export const eachEntry = (fields: readonly { readonly parts: readonly string[] }[], doc: Doc, emit: Emit): boolean =>
  expand(
    doc,
    '',
    fields.map(field => ({ rest: field.parts })),
    emit,
  );

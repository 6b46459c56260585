import type { Doc } from '@tessera/mql/engine';
import { fail } from '@tessera/mql/engine';
import type { Collection, IndexShape, Plan } from '@tessera/store';
import { fieldKey, indexOfHint } from '@tessera/store';

const keyAt = ({ fields, collation }: IndexShape, bound: Doc, which: string): string => {
  const names = fields.map(field => field.path);
  const given = bound.entries();
  if (given.length !== names.length || given.some(([name], i) => name !== names[i])) {
    throw fail(
      51174,
      `The index chosen is not compatible with ${which}: the index has the fields ${names.join(', ')}, in this order`,
    );
  }
  return given.map(([, value], i) => fieldKey(value, fields[i]!.direction, collation?.order)).join('');
};

/**
 * Returns the range of the hinted index from `min` (inclusive) to `max` (exclusive), or undefined if neither is given.
 * @throws CommandError 51173 without a hint, 51174 if the fields of the bounds differ from those of the index
 */
export const boundedPlan = (
  collection: Collection,
  hint: string | Doc | undefined,
  { min, max }: { readonly min: Doc | undefined; readonly max: Doc | undefined },
): Plan | undefined => {
  const least = min === undefined || min.size === 0 ? undefined : min;
  const most = max === undefined || max.size === 0 ? undefined : max;
  if (least === undefined && most === undefined) return undefined;
  if (hint === undefined) throw fail(51173, 'When using min()/max() a hint of which index to use must be provided');
  const index = indexOfHint(collection, hint);
  const from = least === undefined ? '' : keyAt(index.definition, least, 'min');
  const to = most === undefined ? '\uffff\uffff' : keyAt(index.definition, most, 'max');
  return { index, ranges: from < to ? [{ from, to }] : [], point: undefined, downward: false, sorted: false };
};

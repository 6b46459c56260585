import type { Doc } from '@tessera/mql/engine';
import { fail, isSameCollation } from '@tessera/mql/engine';
import type { Collection, Index } from './collection.js';
import type { IndexShape } from './index-keys.js';
import { fieldKey } from './key.js';
import type { Plan } from './plan.js';
import { indexOfHint, isCollationFree } from './plan.js';

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

interface OuterBounds {
  readonly min: Doc | undefined;
  readonly max: Doc | undefined;
}

const checkClustered = (
  { definition }: Index,
  { min, max }: OuterBounds,
  { from, to, collation }: { readonly from: string; readonly to: string; readonly collation: Doc | undefined },
): void => {
  const hasStrings = [min, max].some(bound => bound?.entries().some(([, value]) => !isCollationFree({ value })));
  if (hasStrings && !isSameCollation(collation, definition.collation?.spec))
    throw fail(6137400, 'The collation of the clustered index does not match that of the query');
  if (min !== undefined && max !== undefined && from >= to)
    throw fail(6137401, "'max' must be greater than 'min' in the order of the clustered index");
};

/**
 * Returns the range of the hinted index from `min` (inclusive) to `max` (exclusive), or undefined if neither is given.
 * @throws CommandError 51173 without a hint, 51174 if the bounds have other fields than the index
 * @throws CommandError 6137400, 6137401 for bounds that do not fit the order of a clustered index
 */
export const boundedPlan = (
  collection: Collection,
  hint: string | Doc | undefined,
  { min, max }: OuterBounds,
  collation: Doc | undefined,
): Plan | undefined => {
  const least = min === undefined || min.size === 0 ? undefined : min;
  const most = max === undefined || max.size === 0 ? undefined : max;
  if (least === undefined && most === undefined) return undefined;
  if (hint === undefined) throw fail(51173, 'When using min()/max() a hint of which index to use must be provided');
  const index = indexOfHint(collection, hint);
  const from = least === undefined ? '' : keyAt(index.definition, least, 'min');
  const to = most === undefined ? '\uffff\uffff' : keyAt(index.definition, most, 'max');
  if (index.definition.clustered) checkClustered(index, { min: least, max: most }, { from, to, collation });
  return { index, ranges: from < to ? [{ from, to }] : [], point: undefined, downward: false, sorted: false };
};

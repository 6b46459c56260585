/** Entries of indexes of places, of kind 2d and 2dsphere: the keys of the fields before the place, and a cell. */
import type { Doc } from '@tessera/mql/engine';
import { boxesAt } from '@tessera/mql/engine';
import type { Square } from './cells.js';
import { cellsOf, endOfCell } from './cells.js';
import type { IndexField, IndexKeys, IndexShape } from './index-keys.js';
import { indexKeys } from './index-keys.js';

/** The part of an index definition that states where its places are. */
export interface PlaceShape {
  readonly kind: '2d' | '2dsphere';
  readonly field: IndexField;
  /** The number of fields before it. */
  readonly at: number;
  /** Other places of the index. A document has an entry if it has any of the places. */
  readonly others: readonly IndexField[];
  /** Whether documents without a place have an entry. */
  readonly isWhole: boolean;
  readonly square: Square;
}

/** The most cells of one shape. */
const most = 8;

const leadingOf = (shape: IndexShape, { at }: PlaceShape): IndexShape => ({
  ...shape,
  fields: shape.fields.slice(0, at),
  sparse: false,
});

/** Stands for the cell of a document without a place. Searches do not reach it. */
const noCell = '~~';

/** Returns the keys of a document. */
export const placeKeys = (shape: IndexShape, place: PlaceShape, doc: Doc): IndexKeys => {
  const boxes = boxesAt(doc, place.field.parts, place.kind);
  const isListed = (): boolean =>
    place.isWhole || place.others.some(({ parts }) => boxesAt(doc, parts, place.kind).length > 0);
  if (boxes.length === 0 && !isListed()) return { keys: [], multikey: false };
  const cells = boxes.length === 0 ? [noCell] : new Set(boxes.flatMap(box => cellsOf([box], place.square, most)));
  const before = place.at === 0 ? { keys: [''], multikey: false } : indexKeys(leadingOf(shape, place), doc);
  const keys = before.keys.flatMap(key => [...cells].map(cell => key + cell + endOfCell));
  return { keys, multikey: before.multikey || keys.length > 1 };
};

/**
 * Cells of a square: each is divided into 16 smaller ones. A cell is named by the digits that lead to it, so the cells
 * inside it have longer names that begin with its own.
 */
import type { Box } from '@tessera/mql/engine';

/** A square from `low` to `high` in both directions. */
export interface Square {
  readonly low: number;
  readonly high: number;
}

/** The number of digits of the smallest cells. On the globe they measure 60 cm at the equator. */
const deepest = 13;

const firstDigit = 97;

/** Follows the name of a cell in an index entry. It is lower than every digit. */
export const endOfCell = '!';
const beyondEnd = '"';
const beyondDigits = '~';

const clamp = (n: number, most: number): number => (n < 0 ? 0 : n > most ? most : n);

const nameOf = (x: number, y: number, depth: number): string => {
  let name = '';
  for (let shift = 2 * (depth - 1); shift >= 0; shift -= 2)
    name += String.fromCharCode(firstDigit + (((x >> shift) & 3) << 2) + ((y >> shift) & 3));
  return name;
};

interface Span {
  readonly depth: number;
  readonly x: readonly [number, number];
  readonly y: readonly [number, number];
}

const spanAt = ({ west, south, east, north }: Box, { low, high }: Square, depth: number): Span => {
  const count = 4 ** depth;
  const at = (value: number): number => clamp(Math.floor(((value - low) / (high - low)) * count), count - 1);
  return { depth, x: [at(west), at(east)], y: [at(south), at(north)] };
};

const sizeOf = ({ x, y }: Span): number => (x[1] - x[0] + 1) * (y[1] - y[0] + 1);

/** Returns the cells that cover rectangles, for each rectangle the smallest of which there are at most `most`. */
export const cellsOf = (boxes: readonly Box[], square: Square, most: number): readonly string[] => {
  const names = new Set<string>();
  for (const box of boxes) {
    let span = spanAt(box, square, 0);
    for (let depth = 1; depth <= deepest; depth++) {
      const next = spanAt(box, square, depth);
      if (sizeOf(next) > most) break;
      span = next;
    }
    for (let x = span.x[0]; x <= span.x[1]; x++)
      for (let y = span.y[0]; y <= span.y[1]; y++) names.add(nameOf(x, y, span.depth));
  }
  return [...names];
};

/** Returns the names of the cells of a point, the largest first. */
export const cellsAround = ([x, y]: readonly [number, number], square: Square): readonly string[] => {
  const [name] = cellsOf([{ west: x, east: x, south: y, north: y }], square, 1);
  return Array.from({ length: name!.length }, (_, i) => name!.slice(0, i + 1));
};

/** Returns the ranges of the entries of cells: of the cells inside them, and of those around them. */
export const rangesOfCells = (cells: readonly string[]): readonly { readonly from: string; readonly to: string }[] => {
  const ranges: { from: string; to: string }[] = [];
  const around = new Set<string>();
  for (const cell of [...cells].sort()) {
    const last = ranges.at(-1);
    // A cell inside the previous one is part of its range.
    if (last !== undefined && cell < last.to) continue;
    const isNext =
      last?.to.length === cell.length + 1 &&
      last.to.slice(0, cell.length - 1) === cell.slice(0, -1) &&
      last.to.charCodeAt(cell.length - 1) + 1 === cell.charCodeAt(cell.length - 1);
    if (isNext) last.to = cell + beyondDigits;
    else ranges.push({ from: cell, to: cell + beyondDigits });
    for (let length = 0; length < cell.length; length++) around.add(cell.slice(0, length));
  }
  for (const name of around) ranges.push({ from: name + endOfCell, to: name + beyondEnd });
  return ranges.sort((a, b) => (a.from < b.from ? -1 : 1));
};

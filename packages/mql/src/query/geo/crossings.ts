/** A search for arcs that cross each other, in O(n log n) for the borders of ordinary polygons. */
import { spend, stepsOfSorting } from '../../work/meter.js';

/** A point on the unit sphere. */
export type Vector = readonly [x: number, y: number, z: number];

/** The shortest arc between two points. */
export type Arc = readonly [Vector, Vector];

/** The number of pairs of boxes that take as long as one step. */
const pairsPerStep = 32;

/**
 * The steps after which the search ends without a result, about 100 ms: a border whose long arcs lie close to each other has
 * too many pairs.
 */
const mostSteps = 1_000_000;

/** The box of each arc in space: the least coordinates of all arcs, then the greatest. */
interface Boxes {
  readonly low: readonly Float64Array[];
  readonly high: readonly Float64Array[];
}

const axes = [0, 1, 2] as const;

const boxesOf = (arcs: readonly Arc[]): Boxes => {
  const [low, high] = [0, 0].map(() => axes.map(() => new Float64Array(arcs.length))) as [
    Float64Array[],
    Float64Array[],
  ];
  for (const [i, [a, b]] of arcs.entries()) {
    // The arc lies between its chord and the chord moved by the bulge, towards the middle of the arc.
    const middle = Math.hypot(a[0] + b[0], a[1] + b[1], a[2] + b[2]);
    const bulge = 1 - middle / 2;
    for (const axis of axes) {
      const moved = middle < 1e-6 ? 1 : (bulge * Math.abs(a[axis] + b[axis])) / middle + 1e-12;
      low[axis]![i] = Math.min(a[axis], b[axis]) - moved;
      high[axis]![i] = Math.max(a[axis], b[axis]) + moved;
    }
  }
  return { low, high };
};

/** Returns the axis along which the fewest boxes overlap: that with the least lengths in relation to its extent. */
const bestAxis = ({ low, high }: Boxes): 0 | 1 | 2 => {
  const crowding = axes.map(axis => {
    let [from, to, lengths] = [Infinity, -Infinity, 0];
    for (const [i, start] of low[axis]!.entries()) {
      const end = high[axis]![i]!;
      [from, to, lengths] = [Math.min(from, start), Math.max(to, end), lengths + (end - start)];
    }
    return lengths / (to - from);
  });
  return axes.reduce((best, axis) => (crowding[axis]! < crowding[best]! ? axis : best), 0);
};

/**
 * Returns whether any two of the arcs cross each other. A plane sweeps over the sphere. Only arcs that it cuts at the same
 * time, and whose boxes overlap, are compared.
 */
export const haveCrossing = (arcs: readonly Arc[], doCross: (a: Arc, b: Arc) => boolean): boolean => {
  const boxes = boxesOf(arcs);
  const axis = bestAxis(boxes);
  const [second, third] = axes.filter(other => other !== axis) as [0 | 1 | 2, 0 | 1 | 2];
  const [low, high] = [boxes.low[axis]!, boxes.high[axis]!];
  const overlap = (at: 0 | 1 | 2, i: number, j: number): boolean =>
    boxes.low[at]![i]! <= boxes.high[at]![j]! && boxes.low[at]![j]! <= boxes.high[at]![i]!;
  spend(stepsOfSorting(arcs.length));
  const order = Uint32Array.from(arcs.keys()).sort((i, j) => low[i]! - low[j]!);
  const open = new Uint32Array(arcs.length);
  let count = 0;
  let steps = 0;
  for (const i of order) {
    let pairs = 0;
    let left = 0;
    for (let k = 0; k < count; k++) {
      const j = open[k]!;
      if (high[j]! < low[i]!) continue;
      open[left++] = j;
      if (!overlap(second, i, j) || !overlap(third, i, j)) continue;
      pairs += 1;
      if (doCross(arcs[i]!, arcs[j]!)) return true;
    }
    const taken = 1 + pairs + count / pairsPerStep;
    spend(taken);
    steps += taken;
    if (steps > mostSteps) return false;
    open[left] = i;
    count = left + 1;
  }
  return false;
};

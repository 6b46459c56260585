import type { Note } from '@tessera-tools/house';

/** The cost of one unit of work of a size. */
export interface Cost {
  readonly size: number;
  /** Microseconds of CPU time, user and system. */
  readonly micros: number;
  /** Live bytes for each object, such as a session. Undefined: not measured. */
  readonly bytes: number | undefined;
}

/** The costs of a series with both drivers. */
export interface Measured {
  readonly name: string;
  readonly unit: string;
  readonly ours: readonly Cost[];
  readonly theirs: readonly Cost[];
}

/** The cost of a unit may be at most this many times that of each smaller size. */
export const mostGrowth = 1.3;

/** Returns the cost of each size divided by the least cost of the smaller sizes. The first is 1. */
export const growthOf = (values: readonly number[]): readonly number[] =>
  values.map((value, index) => (index === 0 ? 1 : value / Math.min(...values.slice(0, index))));

interface Sized {
  readonly size: number;
  readonly value: number;
}

const findings = (title: string, sized: readonly Sized[], most: number): readonly Note[] =>
  growthOf(sized.map(({ value }) => value)).flatMap((growth, index): Note[] => {
    if (growth <= most) return [];
    const reason = `${sized[index]!.size} cost ${growth.toFixed(2)} times as much as a smaller size; at most ${most} is expected`;
    return [{ title, reason }];
  });

/** Returns a note for each size whose cost grows with Tessera. */
export const findingsOf = ({ name, ours }: Measured, most: number): readonly Note[] => {
  const held = ours.flatMap(({ size, bytes }) => (bytes === undefined ? [] : [{ size, value: bytes }]));
  const times = ours.map(({ size, micros }) => ({ size, value: micros }));
  return [
    ...findings(`bench scale: ${name}: CPU time`, times, most),
    ...findings(`bench scale: ${name}: memory`, held, most),
  ];
};

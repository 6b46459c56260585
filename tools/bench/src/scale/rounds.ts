/** Less memory than this is not measured, because the heap varies by half a megabyte without the objects. */
const leastHeld = 5_000_000;

/** Returns the bytes of each of the objects, or undefined if all together are too few to measure. */
export const bytesOf = (held: number, objects: number): number | undefined =>
  held < leastHeld ? undefined : held / objects;

/** The CPU time in microseconds after which no further round of a size begins. A round that long varies little. */
const mostMicros = 5_000_000;

/** Runs up to `rounds` rounds, but at least one. Resolves with the least of their microseconds. */
export const leastOf = async (rounds: number, round: () => Promise<number>): Promise<number> => {
  let least = Infinity;
  for (let count = 0, spent = 0; count < rounds && spent < mostMicros; count++) {
    const micros = await round();
    spent += micros;
    least = Math.min(least, micros);
  }
  return least;
};

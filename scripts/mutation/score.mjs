// Computes the score of a tile from the verdicts on its mutants.

/** The percentage of the mutants with changed behavior that tests must kill. */
export const target = 90;

/**
 * The number of mutants of a tile, and how many of them were judged, killed, survived and equal. `seed` is set for a
 * sample. Without it, every mutant was judged.
 * @typedef {{ mutants: number, judged: number, killed: number, survived: number, equal: number, seed?: number }} Count
 */

/**
 * @param {readonly import('./judge.mjs').Verdict[]} verdicts
 * @param {(mutant: import('./mutants.mjs').Mutant) => boolean} isEqual
 */
export function countOf(verdicts, isEqual) {
  const equal = verdicts.filter(({ mutant }) => isEqual(mutant));
  const others = verdicts.filter(({ mutant }) => !isEqual(mutant));
  return {
    judged: verdicts.length,
    killed: others.filter(({ isKilled }) => isKilled).length,
    survivors: others.filter(({ isKilled }) => !isKilled).map(({ mutant }) => mutant),
    equal: equal.length,
    // A test cannot fail because of an equal mutant, so the list is wrong about these.
    wronglyEqual: equal.filter(({ isKilled }) => isKilled).map(({ mutant }) => mutant),
  };
}

/** Returns the score in percent. @param {Pick<Count, 'killed' | 'survived'>} count */
export const scoreOf = ({ killed, survived }) => (killed + survived === 0 ? 100 : (100 * killed) / (killed + survived));

/**
 * Returns Wilson's 95 % confidence interval of the score of all mutants, in percent, for the result of a sample.
 * @param {Pick<Count, 'killed' | 'survived'>} count @returns {[number, number]}
 */
export function intervalOf({ killed, survived }) {
  const n = killed + survived;
  if (n === 0) return [0, 100];
  const z = 1.96;
  const p = killed / n;
  const center = (p + (z * z) / (2 * n)) / (1 + (z * z) / n);
  const half = (z / (1 + (z * z) / n)) * Math.sqrt((p * (1 - p)) / n + (z * z) / (4 * n * n));
  return [100 * Math.max(0, center - half), 100 * Math.min(1, center + half)];
}

/** @param {Count} count */
export function intervalText(count) {
  if (count.seed === undefined) return 'all judged';
  const [low, high] = intervalOf(count);
  return `sample, ${low.toFixed(0)}–${high.toFixed(0)} %`;
}

/** Returns a line for each tile. @param {readonly (readonly [tile: string, Count])[]} counts */
export const table = counts =>
  counts
    .map(([tile, count]) =>
      [
        tile.padEnd(10),
        `${scoreOf(count).toFixed(1).padStart(5)} %`,
        `${String(count.killed).padStart(4)} killed`,
        `${String(count.survived).padStart(3)} survived`,
        `${String(count.equal).padStart(3)} equal`,
        `of ${count.mutants} mutants`,
        `(${intervalText(count)})`,
      ].join('  '),
    )
    .join('\n');

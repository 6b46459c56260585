// How checks are counted: each step of `npm test` leaves one of these, and they are summed.

/**
 * @typedef {{ title: string, reason: string }} Note
 * @typedef {{ passed: number, failed: Note[], skipped: Note[] }} Tally
 */

/** @returns {Tally} */
export const nothing = () => ({ passed: 0, failed: [], skipped: [] });

/** One check by itself. @param {string} title @param {string | undefined} failure @returns {Tally} */
export const one = (title, failure) =>
  failure === undefined ? { ...nothing(), passed: 1 } : { ...nothing(), failed: [{ title, reason: failure }] };

/** @param {readonly Tally[]} tallies @returns {Tally} */
export const sum = tallies => ({
  passed: tallies.reduce((total, { passed }) => total + passed, 0),
  failed: tallies.flatMap(({ failed }) => failed),
  skipped: tallies.flatMap(({ skipped }) => skipped),
});

/** The plain line. @param {Tally} tally */
export const line = ({ passed, failed, skipped }) =>
  `${String(passed)} passed, ${String(failed.length)} failed${skipped.length > 0 ? `, ${String(skipped.length)} skipped` : ''}`;

// Tallies of checks. Each step of `npm test` returns one, and they are summed.

/**
 * @typedef {{ title: string, reason: string }} Note
 * @typedef {{ passed: number, failed: Note[], skipped: Note[] }} Tally
 */

/** @returns {Tally} */
export const nothing = () => ({ passed: 0, failed: [], skipped: [] });

/** Returns the tally of a single check. @param {string} title @param {string | undefined} failure @returns {Tally} */
export const one = (title, failure) =>
  failure === undefined ? { ...nothing(), passed: 1 } : { ...nothing(), failed: [{ title, reason: failure }] };

/** @param {readonly Tally[]} tallies @returns {Tally} */
export const sum = tallies => ({
  passed: tallies.reduce((total, { passed }) => total + passed, 0),
  failed: tallies.flatMap(({ failed }) => failed),
  skipped: tallies.flatMap(({ skipped }) => skipped),
});

/** Returns a line for each reason of skipped checks. @param {Tally} tally */
export function skips({ skipped }) {
  /** @type {Map<string, string[]>} */
  const byReason = new Map();
  for (const { title, reason } of skipped) byReason.set(reason, [...(byReason.get(reason) ?? []), title]);
  return [...byReason].map(([reason, titles]) => {
    const others = titles.length > 1 ? ` and ${String(titles.length - 1)} more` : '';
    return `skipped: ${reason}: ${String(titles[0])}${others}`;
  });
}

/** Returns a line for each failed check. @param {Tally} tally */
export const failures = ({ failed }) =>
  failed.map(({ title, reason }) => `failed: ${title}: ${reason.trim().split('\n')[0] ?? ''}`);

/** Returns the summary line. @param {Tally} tally */
export const line = ({ passed, failed, skipped }) =>
  `${String(passed)} passed, ${String(failed.length)} failed${skipped.length > 0 ? `, ${String(skipped.length)} skipped` : ''}`;

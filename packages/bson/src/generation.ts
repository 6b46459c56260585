/* oxlint-disable typescript/no-implied-eval -- This is the one place that makes functions from text. */

type Generated = (...args: readonly unknown[]) => unknown;

/** Whether code can be generated from text. A content security policy forbids it on some pages and workers. */
const allowed = ((): boolean => {
  try {
    return (new Function('return true') as Generated)() === true;
  } catch {
    return false;
  }
})();

/**
 * Generates a function with these parameters. Returns undefined where code generation is forbidden.
 * @param body code of this package; the only text from outside are keys as JSON strings
 */
export const generate = (parameters: readonly string[], body: string): Generated | undefined =>
  allowed ? (new Function(...parameters, body) as Generated) : undefined;

/* eslint-disable @typescript-eslint/no-implied-eval -- This is the one place that makes functions from text. */

type Generated = (...args: readonly unknown[]) => unknown;

/** Whether functions can be made from text here: pages and workers under a content security policy forbid it. */
const allowed = ((): boolean => {
  try {
    return (new Function('return true') as Generated)() === true;
  } catch {
    return false;
  }
})();

/**
 * A function with these parameters, or undefined where that is forbidden.
 * @param body code of our own, in which the only text from outside are keys as JSON strings
 */
export const generate = (parameters: readonly string[], body: string): Generated | undefined =>
  allowed ? (new Function(...parameters, body) as Generated) : undefined;

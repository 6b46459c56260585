import type { CommandError } from '../errors.js';
import { fail } from '../errors.js';

/** The supported subset of JavaScript, for errors and documents. */
export const supportedJavaScript =
  "function expressions and arrow functions, const, let and var, return, if, for (;;), while, break and continue, operators, calls, member access, literals, this, an array's length, push, indexOf, map, filter, forEach and reduce, a string's length, indexOf and startsWith, Math, Array.sum, Object.keys, emit and sleep";

/** Creates the error of a failed script, with a message in the style of a JavaScript engine. */
export const failure = (
  kind: 'TypeError' | 'ReferenceError' | 'RangeError' | 'InternalError',
  what: string,
): CommandError => fail('JSInterpreterFailure', `${kind}: ${what}`);

/** Creates the error for a feature of JavaScript that is not supported. */
export const unsupported = (what: string): CommandError =>
  fail(
    'JSInterpreterFailure',
    `${what} is not supported by the embedded server, which runs a subset of JavaScript: ${supportedJavaScript}`,
  );

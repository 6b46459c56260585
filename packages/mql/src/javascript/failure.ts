import type { CommandError } from '../errors.js';
import { fail } from '../errors.js';

/** What the interpreter knows of the language, for errors and documents. */
export const understood =
  "function expressions and arrow functions, const, let and var, return, if, for (;;), while, break and continue, operators, calls, member access, literals, this, an array's length, push, indexOf, map, filter, forEach and reduce, a string's length, indexOf and startsWith, Math, Array.sum, Object.keys, emit and sleep";

/** A script that went wrong, in the words of a JavaScript engine. */
export const failure = (
  kind: 'TypeError' | 'ReferenceError' | 'RangeError' | 'InternalError',
  what: string,
): CommandError => fail('JSInterpreterFailure', `${kind}: ${what}`);

/** Something that MongoDB runs and this server does not. */
export const outside = (what: string): CommandError =>
  fail(
    'JSInterpreterFailure',
    `${what} is outside of the JavaScript that this embedded server understands: ${understood}`,
  );

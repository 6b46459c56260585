export { flag, many, number, oneOf, readArguments, run, text, textOr, wholeNumber, Mistake } from './arguments.js';
export type { Declaration, Given, Option, Options, Words } from './arguments.js';
export { putContent, withContent } from './page.js';
export { root } from './root.js';
export { conclude, line, named, nothing, sum, takeTally, writeTally } from './tally.js';
export type { Note, Tally } from './tally.js';

export { flag, many, number, oneOf, readArguments, run, text, textOr, wholeNumber, Mistake } from './arguments.js';
export type { Declaration, Given, Option, Options, Words } from './arguments.js';
export { cpuOf } from './cpu.js';
export { defined } from './defined.js';
export { markdownTable, putContent, withContent } from './page.js';
export { root, specificationFolders } from './root.js';
export { countEach, messageOf, print } from './output.js';
export { conclude, line, named, nothing, sum, takeTally, writeTally } from './tally.js';
export type { Note, Tally } from './tally.js';

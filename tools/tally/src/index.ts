export { line, named, nothing, sum, takeTally, writeTally } from './tally.js';
export type { Note, Tally } from './tally.js';

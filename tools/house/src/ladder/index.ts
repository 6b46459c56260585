export { ambient, ladder } from './table.js';
export type { Ambient, Cycle, Rung } from './table.js';
export { readWorkspace, referencesOf, sourcesOf } from './workspace.js';
export type { Member } from './workspace.js';
export { cycleFaults, cyclesIn, importsWithin } from './cycles.js';
export { disagreements } from './disagreements.js';

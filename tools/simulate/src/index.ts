export { judge } from './invariants/invariant.js';
export { members } from './members.js';
export { whole } from './whole/whole.js';

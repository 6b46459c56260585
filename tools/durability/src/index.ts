export { killAndLook } from './kill.js';
export type { Toll } from './kill.js';

export { bytesUnder, installPacked, runIn } from './install.js';
export type { Outcome } from './program.js';

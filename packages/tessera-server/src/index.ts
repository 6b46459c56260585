export { startBlackPipe, startServer } from './start.js';
export type { RunningBlackPipe, RunningServer, StartOptions } from './start.js';

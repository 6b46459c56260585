export { createAttempt } from './attempt.js';
export type { AttemptDeps } from './attempt.js';

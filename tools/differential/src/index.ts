export { agree, agreementOf } from './compare.js';
export { connectEngine } from './engine.js';
export type { Engine } from './engine.js';
export { runDifferential } from './run.js';

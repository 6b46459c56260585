export { agree, agreementOf } from './compare.js';
export { connectEngine } from './engine.js';
export type { Engine } from './engine.js';
export { createChance } from '../chance.js';
export type { Chance } from '../chance.js';
export { createRun } from './run.js';

export { agree, agreementOf } from './compare.js';
export { connectEngine } from './engine.js';
export type { Engine } from './engine.js';
export { createChance } from './generate/chance.js';
export type { Chance } from './generate/chance.js';
export { createRun } from './run.js';

export { defaults } from './options.js';
export type { PoolOptions } from './options.js';
export type { PoolDeps } from './pool.js';
export { createPools } from './pools.js';

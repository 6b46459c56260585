export { defaults } from './options.js';
export type { PoolDeps, PoolOptions } from '@tessera/contracts';
export { createPools } from './pools.js';

export { createZstd, defaults } from './zstd.js';
export type { ZstdOptions } from './zstd.js';

export { bson, decode, encode } from './codec.js';
export { BSONUndefined, DBPointer } from './deprecated.js';
export { createObjectIds } from './object-ids.js';
export type { ObjectIdDeps } from './object-ids.js';
export type { CodecOptions } from './options.js';
export { vectorIn, vectorOf, vectorTypes } from './vector.js';
export type { Vector, VectorType } from './vector.js';

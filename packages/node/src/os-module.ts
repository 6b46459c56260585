import type * as os from 'node:os';

/** The module `node:os`. */
export type OsModule = typeof os;

export { hostFiles } from './files.js';
export type { ListenTls } from './listener.js';
export { createNode, defaults } from './runtime.js';
export type { NodeOptions } from './runtime.js';
export type { TcpOptions } from './transport.js';
export { createZlib, zlibDefaults } from './zlib.js';
export type { ZlibOptions } from './zlib.js';
/** The types of the host's streams. */
export type { Readable, Writable } from 'node:stream';

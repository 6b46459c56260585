export { hostFiles } from './files.js';
export type { ListenTls } from './listener.js';
export { requireBeside } from './modules.js';
export { createNode, defaults } from './runtime.js';
export type { NodeOptions } from './runtime.js';
export type { TcpOptions } from './transport.js';
export { createZlib, zlibDefaults } from './zlib.js';
export type { ZlibOptions } from './zlib.js';
/** The types of the host's streams, sockets and operating system. */
export type { Readable, Writable } from 'node:stream';
export type { Socket, TcpNetConnectOpts } from 'node:net';
export type { ConnectionOptions, TLSSocket, TLSSocketOptions } from 'node:tls';
export type { OsModule } from './os-module.js';

export { createServer } from './server.js';
export type { Server, ServerOptions } from './server.js';

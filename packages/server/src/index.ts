export { createServer } from './server.js';
export type { UserOption } from './auth/auth.js';
export type { Server, ServerOptions } from './server.js';
export { describeSupport } from './support.js';
export type { Feature, Support } from './support.js';

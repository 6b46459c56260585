export { createConnect, defaults } from './connect.js';
export type { ConnectDeps, ConnectionOptions } from './connect.js';
export { checkDriverInfo } from './client-metadata.js';
export type { MetadataOptions } from './client-metadata.js';
export { functionService } from './execution-environment.js';
export type { ServerApi } from './server-api.js';

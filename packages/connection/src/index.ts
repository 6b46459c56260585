export { createConnect, defaults } from './connect.js';
export type { ConnectDeps, ConnectionOptions, MetadataOptions, ServerApi } from '@tessera/contracts';
export { checkDriverInfo } from './client-metadata.js';
export { functionService } from './execution-environment.js';

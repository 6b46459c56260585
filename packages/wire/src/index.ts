export { createWire } from './wire.js';
export type { WireDeps } from '@tessera/contracts';

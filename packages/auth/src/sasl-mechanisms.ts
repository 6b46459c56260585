// A file of its own in the published package, which is loaded for the first connection that uses one of these mechanisms.
export { createPlain } from './plain.js';
export { createScram } from './scram.js';
export { createX509 } from './x509.js';

// A file of its own in the published package, which is loaded for the first connection that uses one of these mechanisms.
export { createAws } from './aws.js';
export { createOidc } from './oidc.js';

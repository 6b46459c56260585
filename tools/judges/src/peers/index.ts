export { readAccepted } from './accepted.js';
export type { Accepted } from './accepted.js';
export { readJunit } from './pymongo/junit.js';
export type { Deployment, Place } from './deployment.js';
export type { Errand, Peer } from './peer.js';
export { peers } from './peers.js';
export type { TestResult } from './test-result.js';
export { judge } from './verdict.js';
export type { Verdict } from './verdict.js';

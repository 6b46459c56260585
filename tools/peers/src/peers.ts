import type { Peer } from './peer.js';
import { pymongo } from './pymongo/pymongo.js';

/** All peers, in the order in which they are run. */
export const peers: readonly Peer[] = [pymongo];

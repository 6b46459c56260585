import { goTests } from './go/go-tests.js';
import type { Peer } from './peer.js';
import { goProgram, java, mongoose, mongosh, npmMongodb, rust } from './programs/programs.js';
import { pymongo } from './pymongo/pymongo.js';

/** All peers, in the order in which they run. */
export const peers: readonly Peer[] = [pymongo, goTests, goProgram, ...npmMongodb, mongosh, mongoose, java, rust];

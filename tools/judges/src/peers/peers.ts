import { goProgram } from './go/go-program.js';
import { goTests } from './go/go-tests.js';
import type { Peer } from './peer.js';
import { java } from './programs/java.js';
import { mongoose } from './programs/mongoose.js';
import { mongosh } from './programs/mongosh.js';
import { npmMongodb } from './programs/npm-mongodb.js';
import { rust } from './programs/rust.js';
import { pymongo } from './pymongo/pymongo.js';

/** All peers, in the order in which they are run. */
export const peers: readonly Peer[] = [pymongo, goTests, goProgram, ...npmMongodb, mongosh, mongoose, java, rust];

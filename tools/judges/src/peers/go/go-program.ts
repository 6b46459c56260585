import { join } from 'node:path';
import type { Peer } from '../peer.js';
import { programPeer } from '../programs/program-peer.js';
import { buildGo, built } from './build.js';

/** Transactions and change streams, of which its own tests say little without fixtures. */
export const goProgram: Peer = programPeer({
  name: 'go-program',
  description: 'mongo-driver 2.9.3, the driver for Go, by a program for transactions and change streams',
  short: false,
  install: async signal => ({ file: join(await buildGo(signal), built.program), args: [] }),
});

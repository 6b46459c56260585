import { join } from 'node:path';
import { programs } from '../../folders.js';
import type { Peer } from '../peer.js';
import { npmPackages } from './npm-packages.js';
import { programPeer } from './program-peer.js';

export const mongoose: Peer = programPeer({
  name: 'mongoose',
  description: 'npm mongoose 9.12.1, by a program',
  short: false,
  install: async signal => ({
    file: process.execPath,
    args: [join(programs, 'mongoose', 'main.mjs')],
    env: { MONGOOSE: join(await npmPackages('npm-mongoose', signal), 'mongoose', 'index.js') },
  }),
});

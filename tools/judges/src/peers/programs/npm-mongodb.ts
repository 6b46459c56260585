import { join } from 'node:path';
import { programs } from '../../folders.js';
import type { Peer } from '../peer.js';
import { npmPackages } from './npm-packages.js';
import { programPeer } from './program-peer.js';

const official = (major: number, version: string): Peer =>
  programPeer({
    name: `mongodb-${major}`,
    description: `npm mongodb ${version}, the official driver for Node.js, by a program`,
    short: major === 7,
    install: async signal => ({
      file: process.execPath,
      args: [join(programs, 'npm-mongodb', 'main.mjs')],
      env: { DRIVER: join(await npmPackages('npm-mongodb', signal), `mongodb-${major}`, 'lib', 'index.js') },
    }),
  });

/** One program over three versions of one driver. */
export const npmMongodb: readonly Peer[] = [official(7, '7.8.0'), official(6, '6.22.0'), official(4, '4.17.2')];

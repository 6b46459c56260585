import { join } from 'node:path';
import { uriOf } from '../deployment.js';
import { programs } from '../../folders.js';
import type { Peer } from '../peer.js';
import { npmPackages } from './npm-packages.js';
import { programPeer } from './program-peer.js';

export const mongosh: Peer = programPeer({
  name: 'mongosh',
  description: 'npm mongosh 2.12.0, the shell, by its command line',
  short: false,
  install: async signal => {
    const command = join(await npmPackages('npm-mongosh', signal), 'mongosh', 'bin', 'mongosh.js');
    const script = join(programs, 'mongosh', 'checks.js');
    return {
      file: process.execPath,
      args: [command, '--quiet', '--norc'],
      argsFor: at => [uriOf(at), '--file', script],
    };
  },
});

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { javaProgram } from '../../outside/java.js';
import { programs, recipes } from '../../folders.js';
import type { Peer } from '../peer.js';
import { programPeer } from './program-peer.js';

const folder = join(programs, 'java');

export const java: Peer = programPeer({
  name: 'java',
  description: 'mongodb-driver-sync 5.6.1, the driver for Java, by a program',
  short: false,
  install: async signal => {
    const [pom, jars] = ['pom.xml', 'jars.sha256'].map(name => join(recipes, 'java', name)) as [string, string];
    const sources = readdirSync(folder)
      .filter(name => name.endsWith('.java'))
      .map(name => join(folder, name));
    return {
      file: 'java',
      args: ['-Dfile.encoding=UTF-8', '-cp', await javaProgram('peer-java', { pom, jars, sources }, signal), 'Main'],
    };
  },
});

import { join } from 'node:path';
import type { Engine } from './engine.js';
import { recipes } from '../folders.js';
import { pythonEnvironment } from './python.js';

const options = ['--host', '127.0.0.1', '--port', '0', '--storage-path', 'db', '--cache-size', '256M'];

/** Its license is the GPL, so it runs as a program and is never linked or copied. */
export const secantusdb: Engine = {
  description: 'SecantusDB 0.7.0b3 (Python over WiredTiger); a replica set of one, or --standalone',
  install: async signal => {
    const { python } = await pythonEnvironment('secantusdb', join(recipes, 'secantusdb', 'requirements.txt'), signal);
    return { file: python, args: ['-m', 'secantus', ...options, '--enable-test-commands'] };
  },
  persona: standalone =>
    standalone ? { args: ['--standalone'], query: '' } : { args: [], query: 'replicaSet=secantus' },
  tls: ({ certificate, key, authority }) =>
    ['--tls-cert-file', certificate, '--tls-key-file', key].concat('--tls-ca-file', authority),
  auth: ['--auth'],
};

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAuthority } from '../outside/certificates.js';
import type { TlsFiles } from './deployment.js';
import { reports } from '../folders.js';

const places = [
  ['OU', 'Drivers'],
  ['O', 'MDB'],
  ['L', 'New York City'],
  ['ST', 'New York'],
  ['C', 'US'],
] as const;

/** Certificates that one run makes for itself. */
export function makeCertificates(): TlsFiles & Disposable {
  mkdirSync(reports, { recursive: true });
  const folder = mkdtempSync(join(reports, 'certificates-'));
  const write = (name: string, content: string): string => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const authority = createAuthority();
  return {
    server: write('server.pem', authority.issue('localhost', { hosts: ['localhost', '127.0.0.1'] }).both),
    client: write('client.pem', authority.issue('client').both),
    drivers: {
      client: write('drivers.pem', authority.issue('client', { places }).both),
      encrypted: write('drivers-encrypted.pem', authority.issue('client', { places, password: 'password' }).both),
    },
    authority: write('authority.pem', authority.certificate),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

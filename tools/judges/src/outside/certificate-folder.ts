import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kept } from '../folders.js';
import type { Authority, Identity } from './certificates.js';
import { createAuthority } from './certificates.js';

/** A temporary folder of PEM files. Disposing removes it. */
export interface CertificateFolder extends Disposable {
  /** The certificate of the authority that issues all other certificates. */
  readonly authority: string;
  /** The identity of a server on this machine. */
  readonly server: Identity;
  readonly issue: Authority['issue'];
  /** Writes a file and returns its path. */
  readonly write: (name: string, content: string) => string;
}

export const createCertificateFolder = (): CertificateFolder => {
  const parent = join(kept, 'data');
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, 'certificates-'));
  const write = (name: string, content: string): string => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const { certificate, issue } = createAuthority();
  return {
    authority: write('authority.pem', certificate),
    server: issue('localhost', { hosts: ['localhost', '127.0.0.1'] }),
    issue,
    write,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
};

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TlsSettings } from '@tessera/contracts';

export { createAuthority } from '../../../tools/judges/src/outside/certificates.js';
export type { Authority, Identity, CertificateOptions } from '../../../tools/judges/src/outside/certificates.js';

/** Creates a folder for files that `remove` deletes. */
export const createFiles = (): { write(name: string, content: string): string; remove(): void } => {
  const folder = mkdtempSync(join(tmpdir(), 'certificates-'));
  return {
    write: (name, content) => {
      const path = join(folder, name);
      writeFileSync(path, content);
      return path;
    },
    remove: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

/** TLS settings that check certificates and host names, with these changes. */
export const strictTls = (given: Partial<TlsSettings> = {}): TlsSettings => ({
  allowInvalidCertificates: false,
  allowInvalidHostnames: false,
  native: {},
  ...given,
});

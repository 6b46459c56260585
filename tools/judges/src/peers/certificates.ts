import { createCertificateFolder } from '../outside/certificate-folder.js';
import type { TlsFiles } from './deployment.js';

const places = [
  ['OU', 'Drivers'],
  ['O', 'MDB'],
  ['L', 'New York City'],
  ['ST', 'New York'],
  ['C', 'US'],
] as const;

/** Creates the certificates of one run. */
export function makeCertificates(): TlsFiles & Disposable {
  const folder = createCertificateFolder();
  const { authority, server, issue, write } = folder;
  return {
    server: write('server.pem', server.both),
    client: write('client.pem', issue('client').both),
    drivers: {
      client: write('drivers.pem', issue('client', { places }).both),
      encrypted: write('drivers-encrypted.pem', issue('client', { places, password: 'password' }).both),
    },
    authority,
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

import { MongoClient } from '@tessera/mongodb';
import { createCertificateFolder } from '../../outside/certificate-folder.js';
import { createAuthority } from '../../outside/certificates.js';
import { engines } from '../../outside/engines.js';
import type { EngineName } from '../../outside/engines.js';
import { startEngine } from '../../outside/start.js';

export const password = 'open sesame, söze';

/** The names of the users in `admin`, each with the only mechanism that it may use. */
export const scramUsers = { 'SCRAM-SHA-1': 'ann', 'SCRAM-SHA-256': 'bob' } as const;

/** The subject of the client certificate that belongs to a user. */
const certifiedUser = 'CN=carol';

/**
 * An engine that accepts only TLS connections. If it supports authentication, it has exactly the users of this file.
 */
export interface Secured extends AsyncDisposable {
  readonly uri: string;
  /** Options of a client that trusts the engine. */
  readonly trusting: { readonly tlsCAFile: string };
  /** The options of a client that trusts another authority. */
  readonly distrusting: { readonly tlsCAFile: string };
  /** The PEM file of a user's certificate with its key. */
  readonly certified: string;
  /** The PEM file of a certificate from the same authority that belongs to no user. */
  readonly stranger: string;
}

const makeUsers = async (uri: string): Promise<void> => {
  await using client = new MongoClient(uri);
  const roles = ['root'];
  for (const [mechanism, name] of Object.entries(scramUsers)) {
    await client.db('admin').command({ createUser: name, pwd: password, roles, mechanisms: [mechanism] });
  }
  // MongoDB infers from the database that the user has no password. SecantusDB requires the mechanism.
  const byCertificate = {
    createUser: certifiedUser,
    roles: [{ role: 'root', db: 'admin' }],
    mechanisms: ['MONGODB-X509'],
  };
  await client.db('$external').command(byCertificate);
};

/**
 * Creates certificates, and starts the engine with them.
 * @throws the errors of startEngine
 */
export async function startSecured(name: EngineName, signal: AbortSignal): Promise<Secured> {
  const folder = createCertificateFolder();
  const { authority, server, issue, write } = folder;
  const tls = { certificate: write('server.pem', server.certificate), key: write('server.key', server.key), authority };
  const users = engines[name].auth === undefined ? {} : { users: makeUsers };
  try {
    const engine = await startEngine(name, { tls, signal, ...users });
    return {
      uri: engine.uri,
      trusting: { tlsCAFile: authority },
      distrusting: { tlsCAFile: write('other.pem', createAuthority('Another authority').certificate) },
      certified: write('carol.pem', issue('carol').both),
      stranger: write('dave.pem', issue('dave').both),
      [Symbol.asyncDispose]: () => engine.stop().finally(() => folder[Symbol.dispose]()),
    };
  } catch (error) {
    folder[Symbol.dispose]();
    throw error;
  }
}

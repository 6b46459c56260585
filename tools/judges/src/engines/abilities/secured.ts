import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MongoClient } from '@tessera/mongodb';
import { createAuthority } from '../../outside/certificates.js';
import { engines } from '../../outside/engines.js';
import type { EngineName } from '../../outside/engines.js';
import { kept } from '../../folders.js';
import { startEngine } from '../../outside/start.js';

export const password = 'open sesame, söze';

/** Names of users in `admin`, by the one mechanism that each may use. */
export const scramUsers = { 'SCRAM-SHA-1': 'ann', 'SCRAM-SHA-256': 'bob' } as const;

/** The subject of the certificate that is a user. */
const certifiedUser = 'CN=carol';

/** An engine that speaks TLS alone and, if it can, knows these users and nobody else. */
export interface Secured extends AsyncDisposable {
  readonly uri: string;
  /** Options of a client that trusts the engine. */
  readonly trusting: { readonly tlsCAFile: string };
  /** Of one that trusts another authority. */
  readonly distrusting: { readonly tlsCAFile: string };
  /** A certificate of a user with its key, and one of the same authority that is no user's. */
  readonly certified: string;
  readonly stranger: string;
}

const makeUsers = async (uri: string): Promise<void> => {
  await using client = new MongoClient(uri);
  const roles = ['root'];
  for (const [mechanism, name] of Object.entries(scramUsers)) {
    await client.db('admin').command({ createUser: name, pwd: password, roles, mechanisms: [mechanism] });
  }
  // Real servers know by the database that there is no password; SecantusDB wants to be told.
  const byCertificate = {
    createUser: certifiedUser,
    roles: [{ role: 'root', db: 'admin' }],
    mechanisms: ['MONGODB-X509'],
  };
  await client.db('$external').command(byCertificate);
};

/** Makes certificates, and starts the engine with them. @throws as startEngine does */
export async function startSecured(name: EngineName, signal: AbortSignal): Promise<Secured> {
  mkdirSync(join(kept, 'data'), { recursive: true });
  const folder = mkdtempSync(join(kept, 'data', 'certificates-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  const write = (file: string, content: string): string => {
    writeFileSync(join(folder, file), content);
    return join(folder, file);
  };
  const authority = createAuthority();
  const server = authority.issue('localhost', { hosts: ['localhost', '127.0.0.1'] });
  const authorityFile = write('authority.pem', authority.certificate);
  const tls = {
    certificate: write('server.pem', server.certificate),
    key: write('server.key', server.key),
    authority: authorityFile,
  };
  const users = engines[name].auth === undefined ? {} : { users: makeUsers };
  const files = {
    trusting: { tlsCAFile: authorityFile },
    distrusting: { tlsCAFile: write('other.pem', createAuthority('Another authority').certificate) },
    certified: write('carol.pem', authority.issue('carol').both),
    stranger: write('dave.pem', authority.issue('dave').both),
  };
  try {
    const engine = await startEngine(name, { tls, signal, ...users });
    const stop = (): Promise<void> => engine.stop().finally(remove);
    return { uri: engine.uri, ...files, [Symbol.asyncDispose]: stop };
  } catch (error) {
    remove();
    throw error;
  }
}

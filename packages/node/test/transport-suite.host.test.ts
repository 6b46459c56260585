import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, test } from 'vitest';
import { createNode } from '@tessera/node';
import type { Runtime } from '@tessera/contracts';
import { transportSuite } from '@tessera/sim';
import { createAuthority, createFiles } from './certificates.js';

const folder = mkdtempSync(join(tmpdir(), 'node-suite-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const node = createNode();

/** The same runtime with TLS on all connections. */
const secured = (): Runtime => {
  const files = createFiles();
  afterAll(() => {
    files.remove();
  });
  const ca = createAuthority();
  const certificate = ca.issue('localhost', { hosts: ['localhost'] });
  const runtime = createNode({ listenTls: { tlsCertificateKeyFile: files.write('server.pem', certificate.both) } });
  const tls = {
    ...{ caFile: files.write('ca.pem', ca.certificate), native: {} },
    ...{ allowInvalidCertificates: false, allowInvalidHostnames: false },
  };
  return { ...runtime, transport: { connect: (to, options) => runtime.transport.connect(to, { ...options, tls }) } };
};

describe.each([
  ['TCP', '127.0.0.1:0', node],
  ['TCP by host name', 'localhost:0', node],
  ['TCP over IPv6', '[::1]:0', node],
  ['unix sockets', join(folder, 'suite.sock'), node],
  ['TLS', 'localhost:0', secured()],
])('the contract of sockets over %s', (_, at, runtime) => {
  for (const { name, run } of transportSuite(runtime, { at })) {
    if (at.endsWith('.sock') && name.includes('port 0')) test.skip(`${name} (skipped: a path has no port)`, run);
    else test(name, run);
  }
});

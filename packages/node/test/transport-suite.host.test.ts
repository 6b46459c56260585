import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, test } from 'vitest';
import { createNode } from '@tessera/node';
import { transportSuite } from '@tessera/sim';

const folder = mkdtempSync(join(tmpdir(), 'node-suite-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const node = createNode();

describe.each([
  ['TCP', '127.0.0.1:0'],
  ['TCP by host name', 'localhost:0'],
  ['TCP over IPv6', '[::1]:0'],
  ['unix sockets', join(folder, 'suite.sock')],
])('the contract of sockets, over %s', (_, at) => {
  for (const { name, run } of transportSuite(node, { at })) {
    if (at.endsWith('.sock') && name.includes('port 0')) test.skip(`${name} (skipped: a path has no port)`, run);
    else test(name, run);
  }
});

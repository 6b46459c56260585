import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

test('tsc is the native compiler', () => {
  const version = execFileSync(join(root, 'node_modules', '.bin', 'tsc'), ['--version'], {
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  expect(version).toMatch(/^Version 7\./);
});

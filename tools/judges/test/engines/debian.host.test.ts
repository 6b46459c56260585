import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { debianProgram } from '../../src/outside/debian.js';
import { Unavailable } from '../../src/outside/unavailable.js';

const path = process.env['PATH'];
beforeEach(() => {
  process.env['PATH'] = path;
});
afterEach(() => {
  process.env['PATH'] = path;
});

const first: string = await debianProgram('microsocks', 'usr/bin/microsocks').then(
  () => '',
  (error: unknown) => {
    if (error instanceof Unavailable) return ` (skipped: ${error.message})`;
    throw error;
  },
);

test.skipIf(first !== '')(
  `downloads a program once and then needs neither apt-get nor the network${first}`,
  async () => {
    process.env['PATH'] = '/nowhere';
    const { file, env } = await debianProgram('microsocks', 'usr/bin/microsocks');
    const output = (() => {
      try {
        return execFileSync(file, ['-h'], { env, encoding: 'utf8', stdio: 'pipe' });
      } catch (error) {
        return (error as { readonly stderr: string }).stderr;
      }
    })();
    expect(output).toContain('MicroSocks SOCKS5 Server');
  },
);

test('is unavailable without apt-get, and the message states what to do', async () => {
  process.env['PATH'] = '/nowhere';
  await expect(debianProgram('no-such-package-of-ours', 'usr/bin/none')).rejects.toThrow(Unavailable);
  await expect(debianProgram('no-such-package-of-ours', 'usr/bin/none')).rejects.toThrow(
    /run this test on Debian or a derived distribution/,
  );
});

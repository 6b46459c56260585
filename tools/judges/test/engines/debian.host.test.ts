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
  `a program is fetched once: the second time needs neither apt-get nor network${first}`,
  async () => {
    process.env['PATH'] = '/nowhere';
    const { file, env } = await debianProgram('microsocks', 'usr/bin/microsocks');
    const said = (() => {
      try {
        return execFileSync(file, ['-h'], { env, encoding: 'utf8', stdio: 'pipe' });
      } catch (error) {
        return (error as { readonly stderr: string }).stderr;
      }
    })();
    expect(said).toContain('MicroSocks SOCKS5 Server');
  },
);

test('without apt-get it cannot be had, and the sentence says what to do', async () => {
  process.env['PATH'] = '/nowhere';
  await expect(debianProgram('no-such-package-of-ours', 'usr/bin/none')).rejects.toThrow(Unavailable);
  await expect(debianProgram('no-such-package-of-ours', 'usr/bin/none')).rejects.toThrow(
    /this test needs Debian or a system that descends from it/,
  );
});

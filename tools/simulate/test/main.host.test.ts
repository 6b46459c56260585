import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));

const simulate = (...args: string[]): { readonly status: number | null; readonly stdout: string } =>
  spawnSync(process.execPath, [main, ...args], { encoding: 'utf8', env: { ...process.env, TALLY: undefined } });

test('--seed prints plan and time line, twice the same, and what holds', { timeout: 60_000 }, () => {
  const first = simulate('--seed', '3');
  expect(first.status).toBe(0);
  expect(first.stdout).toMatch(/^seed 3: /);
  expect(first.stdout).toContain('plan        every fault ends');
  expect(first.stdout).toMatch(/All \d+ invariants hold\.\n1 passed, 0 failed, 0 skipped\n$/);
  expect(simulate('--seed', '3').stdout).toBe(first.stdout);
});

test('histories are counted, and a mistake is no failure of a check', { timeout: 60_000 }, () => {
  const { status, stdout } = simulate('--histories', '4');
  expect(status).toBe(0);
  expect(stdout).toMatch(/^4 histories from seed 1, \d+ invariants: 0 failed/);
  expect(simulate('--seed', 'x').status).toBe(2);
});

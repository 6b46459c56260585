import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));

const simulate = (...args: string[]): { readonly status: number | null; readonly stdout: string } =>
  spawnSync(process.execPath, [main, ...args], { encoding: 'utf8', env: { ...process.env, TALLY: undefined } });

test('--seed prints the same plan and time line each time, and that all invariants hold', { timeout: 60_000 }, () => {
  const first = simulate('--seed', '3');
  expect(first.status).toBe(0);
  expect(first.stdout).toMatch(/^seed 3: /);
  expect(first.stdout).toContain('plan        every fault ends');
  expect(first.stdout).toMatch(/All \d+ invariants hold\.\n1 passed, 0 failed, 0 skipped\n$/);
  expect(simulate('--seed', '3').stdout).toBe(first.stdout);
});

test('--histories counts the histories, and a wrong option exits with code 2', { timeout: 60_000 }, () => {
  const { status, stdout } = simulate('--histories', '4');
  expect(status).toBe(0);
  expect(stdout).toMatch(/^4 histories from seed 1: 0 failed/);
  expect(simulate('--seed', 'x').status).toBe(2);
});

test('--mutant prints the shortest history that finds the mutant', { timeout: 60_000 }, () => {
  const { status, stdout } = simulate('--mutant', 'topology-closes-twice');
  expect(status).toBe(0);
  expect(stdout).toMatch(/^topology-closes-twice: a closed topology emits topologyClosed again\nseed 1: /);
  // The mutant is found without any call.
  expect(stdout).not.toContain('plan        call');
  expect(stdout).toContain('broken: events of topologies come in an order that the specifications allow');
  expect(simulate('--mutant', 'unknown').status).toBe(1);
});

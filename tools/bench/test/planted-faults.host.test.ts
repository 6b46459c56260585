import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { plant } from './fixtures/planted.js';

/** Encodes each document twenty times. */
const slow = `
import { encode as real } from './real.js';
export const encode = (document, how) => {
  for (let times = 1; times < 20; times += 1) real(document, how);
  return real(document, how);
};
`;

/** insertOne adds a listener to the process; findOne adds 1 to a field of its result. */
const leakyAndWrong = `
import { Collection } from './real.js';
const { insertOne, findOne } = Collection.prototype;
process.setMaxListeners(Infinity);
Collection.prototype.insertOne = function (...args) {
  process.on('beforeExit', () => {});
  return insertOne.apply(this, args);
};
Collection.prototype.findOne = async function (...args) {
  const document = await findOne.apply(this, args);
  return { ...document, score: document.score + 1 };
};
`;

test('a short run detects a slower encode, a leaked listener per operation, and a wrong result', async () => {
  const copy = plant('faults', { 'packages/bson': slow, 'packages/mongodb': leakyAndWrong });
  const tally = join(copy, 'tally.json');
  const args = [
    join(copy, 'tools', 'bench', 'dist', 'main.js'),
    '--short',
    'encode-varied',
    'findOne@1',
    'insertOne@1',
  ];
  const code = await new Promise(resolve => {
    execFile(process.execPath, args, { env: { ...process.env, TALLY: tally } }, error => resolve(error?.code ?? 0));
  });
  const { passed, failed } = JSON.parse(readFileSync(tally, 'utf8')) as {
    passed: number;
    failed: { title: string; reason: string }[];
  };
  rmSync(copy, { recursive: true });
  const reasons = new Map(failed.map(({ title, reason }) => [title, reason]));
  expect([code, passed, [...reasons.keys()]]).toEqual([
    1,
    0,
    ['bench encode-varied', 'bench findOne@1', 'bench insertOne@1'],
  ]);
  expect(reasons.get('bench encode-varied')).toMatch(
    /The ratio of CPU time is 0\.\d\d, below the minimum of .* for a short run/,
  );
  expect(reasons.get('bench findOne@1')).toMatch(
    /The results differ before measuring: at character \d+, Tessera has «.*«/,
  );
  expect(reasons.get('bench insertOne@1')).toMatch(
    /insertOne: 1 remaining listeners per operation, above the bound of 0/,
  );
}, 120_000);

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

/** insertOne leaves a listener on the process; findOne adds one to a number that it has read. */
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

test('a short run notices a slower encode, a listener that each operation leaves behind, and a wrong result', async () => {
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
    /the ratio of CPU time is 0\.\d\d, under the floor of a short run/,
  );
  expect(reasons.get('bench findOne@1')).toMatch(
    /the results differ before measuring: from character \d+ on ours is «.*«/,
  );
  expect(reasons.get('bench insertOne@1')).toMatch(
    /insertOne: 1 listeners left behind per operation, over the bound of 0/,
  );
}, 120_000);

import { expect, test } from 'vitest';
import { client } from '../src/client/kind.js';
import { cluster } from '../src/cluster/kind.js';
import type { Mutant } from '../src/kernel/kind.js';
import { shrink, tryPlan } from '../src/kernel/shrink.js';
import { timeLine } from '../src/kernel/time-line.js';
import { allMutants } from '../src/kinds.js';
import { members } from '../src/members/kind.js';
import { readKnownSeeds } from '../src/known-seeds.js';
import { doShare, findingSeed } from '../src/share.js';
import type { Finding } from '../src/share.js';

const mutants = allMutants.map(({ mutant }) => mutant);

const partsOf = (name: string): Mutant['parts'] => mutants.find(mutant => mutant.name === name)!.parts;

test('every invariant is broken by a mutant', () => {
  const broken = new Set(mutants.map(({ breaks }) => breaks));
  const all = [...members.invariants, ...client.invariants, ...cluster.invariants];
  expect(all.filter(invariant => !broken.has(invariant)).map(({ name }) => name)).toEqual([]);
});

test('every mutant has a unique name', () => {
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
});

test('a failure is shrunk to a history from which no event can be removed', { timeout: 60_000 }, async () => {
  const name = 'pool-opens-all-at-once';
  const failure = await tryPlan(members, members.draw(1), partsOf(name));
  expect(failure?.breach.invariant).toBe('a pool never opens more than maxConnecting connections at the same time');
  const shortest = await shrink(members, failure!, partsOf(name), 300);
  const { plan } = shortest.history;
  expect(shortest.breach.invariant).toBe(failure!.breach.invariant);
  expect(plan.events.length).toBeGreaterThan(0);
  expect(plan.events.length).toBeLessThan(members.draw(1).events.length / 2);
  for (const event of plan.events) {
    const without = { ...plan, events: plan.events.filter(other => other !== event) };
    expect((await tryPlan(members, without, partsOf(name)))?.breach.invariant).not.toBe(shortest.breach.invariant);
  }
  const again = await members.run(plan, partsOf(name)());
  expect(timeLine(again, true)).toBe(timeLine(shortest.history, true));
});

test('shares run every history and mutant exactly once', { timeout: 60_000 }, async () => {
  const findings: Finding[] = [];
  for (const index of [0, 1, 2]) {
    await doShare({ what: 'mutants', from: 1, histories: 0, known: {}, index, of: 3 }, finding =>
      findings.push(finding),
    );
    await doShare({ what: 'histories', from: 1, histories: 3, known: {}, index, of: 3 }, finding =>
      findings.push(finding),
    );
  }
  expect(findings).toHaveLength(mutants.length);
  expect(new Set(findings.map(finding => finding.is === 'mutant' && finding.mutant)).size).toBe(mutants.length);
  expect(findings).toContainEqual({ is: 'mutant', mutant: 0, seed: undefined });
});

test('a share tries the known seed of a mutant first', async () => {
  const name = 'topology-closes-twice';
  const index = mutants.findIndex(mutant => mutant.name === name);
  const findings: Finding[] = [];
  const share = { what: 'mutants', from: 1, histories: 0, known: { [name]: 3 }, index, of: mutants.length } as const;
  await doShare(share, finding => findings.push(finding));
  expect(findings).toEqual([{ is: 'mutant', mutant: index, seed: 3 }]);
});

test('a search for a mutant ends at the known seed, or at the first seed that finds it', async () => {
  const tried: number[] = [];
  const finds = (seed: number): Promise<boolean> => {
    tried.push(seed);
    return Promise.resolve(seed >= 5);
  };
  expect(await findingSeed(7, { from: 1, histories: 9 }, finds)).toBe(7);
  expect(await findingSeed(4, { from: 3, histories: 9 }, finds)).toBe(5);
  expect(await findingSeed(undefined, { from: 1, histories: 2 }, finds)).toBeUndefined();
  expect(tried).toEqual([7, 4, 3, 4, 5, 1, 2]);
});

test('the known seeds are of mutants that exist', () => {
  const names = mutants.map(({ name }) => name);
  expect(Object.keys(readKnownSeeds()).filter(name => !names.includes(name))).toEqual([]);
});

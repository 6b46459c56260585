import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Branch, Difference } from '../src/difference.js';
import { differences } from '../src/difference.js';
import { Tree } from '../src/tree.js';

type Step = readonly ['set', number, number] | readonly ['delete', number];

const keyOf = (n: number): string => n.toString().padStart(6, '0');

/** Applies the steps with one edit, as one command does. */
const changed = (tree: Tree<number>, steps: readonly Step[]): Tree<number> => {
  const edit = { for: 'a test' };
  let next = tree;
  for (const step of steps)
    next = step[0] === 'set' ? next.set(keyOf(step[1]), step[2], edit) : next.delete(keyOf(step[1]), edit);
  return next;
};

const naive = (before: Tree<number>, after: Tree<number>): readonly Difference<number>[] => {
  const all = new Set([...before, ...after].map(([key]) => key));
  return [...all]
    .sort()
    .map(key => ({ key, before: before.get(key), after: after.get(key) }))
    .filter(one => one.before !== one.after);
};

const stepOf = (most: number): fc.Arbitrary<Step> =>
  fc.oneof(
    fc.tuple(fc.constant('set' as const), fc.nat(most), fc.nat(9)),
    fc.tuple(fc.constant('delete' as const), fc.nat(most)),
  );

const stepsOf = (most: number, count: number): fc.Arbitrary<readonly Step[]> =>
  fc.array(stepOf(most), { maxLength: count });

const filled = (size: number): Tree<number> =>
  changed(
    Tree.empty(),
    Array.from({ length: size }, (_, i) => ['set', i, 0]),
  );

test('differences: returns added, removed and changed entries of two versions, in key order', () => {
  fc.assert(
    fc.property(
      fc.nat(3000),
      stepsOf(4000, 300),
      fc.array(stepsOf(4000, 40), { maxLength: 4 }),
      (size, first, more) => {
        const before = changed(filled(size), first);
        const after = more.reduce(changed, before);
        expect([...differences(before, after)]).toEqual(naive(before, after));
        expect([...differences(after, before)]).toEqual(naive(after, before));
      },
    ),
    { numRuns: 60 },
  );
});

test('differences: compares trees of any heights that share no nodes', () => {
  const trees = [0, 1, 64, 65, 5000].map(filled);
  for (const before of trees)
    for (const after of trees) expect([...differences(before, after)]).toEqual(naive(before, after));
});

test('differences: does not read nodes that both versions share, even at different positions', () => {
  const leaf = (keys: readonly string[]): Branch<number> => ({ keys, items: keys.map(() => 0), leaf: true });
  const shared = (): Branch<number> => ({
    items: [],
    leaf: true,
    get keys(): readonly string[] {
      throw new Error('A shared leaf was read.');
    },
  });
  const [b, c, f] = [shared(), shared(), shared()];
  const over = (...items: readonly Branch<number>[]): Branch<number> => ({ keys: [], items, leaf: false });
  const before = { root: over(over(leaf(['a']), b), over(c, f)) };
  const after = { root: over(over(leaf(['a2']), b, c), over(leaf(['e']), f)) };
  expect([...differences(before, after)].map(({ key, after: young }) => [key, young])).toEqual([
    ['a', undefined],
    ['a2', 0],
    ['e', 0],
  ]);
});

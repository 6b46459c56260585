import { expect, test } from 'vitest';
import { batchOf } from '../../src/differential/batch.js';
import { reference } from '../../src/differential/reference.js';
import type { Profile } from '../../src/differential/rule.js';
import { has, operatorsIn, typesIn } from '../../src/differential/tree.js';

const everything: Profile = {
  name: 'all',
  lacks: new Set(),
  omissions: [],
  cannotHold: () => false,
  codes: false,
  rules: [],
};

test('the same seed and number give the same batch, and another number gives another batch', () => {
  const [one, same, next] = [batchOf(3, 7, everything), batchOf(3, 7, everything), batchOf(3, 8, everything)];
  expect(same).toEqual(one);
  expect(next).not.toEqual(one);
});

test('the drawn documents contain values of all types', () => {
  const types = new Set<string>();
  for (let i = 0; i < 60; i++) for (const type of typesIn(batchOf(1, i, everything).documents)) types.add(type);
  expect([...types].sort()).toEqual(
    'array binary bool code date dbPointer int maxKey minKey null numberDecimal numberDouble numberLong object oid regularExpression string symbol timestamp undefined'.split(
      ' ',
    ),
  );
});

test('no batch uses a feature that the reference lacks', () => {
  const profile = reference;
  for (let i = 0; i < 20; i++) {
    const { documents, foreign, operations } = batchOf(2, i, profile);
    expect(has(documents, value => profile.cannotHold(value))).toBe(false);
    for (const operation of operations) {
      expect([...operatorsIn(operation.command)].filter(name => profile.lacks.has(name))).toEqual([]);
      expect(profile.omissions.filter(({ holds }) => holds({ documents, foreign, operation }))).toEqual([]);
    }
  }
});

test('every rule has a unique name and a reason', () => {
  const { rules } = reference;
  expect(new Set(rules.map(({ name }) => name)).size).toBe(rules.length);
  expect(rules.every(({ reason }) => reason.length > 3)).toBe(true);
});

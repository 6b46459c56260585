import { expect, test } from 'vitest';
import type { Feature } from '../src/support.js';
import { describeSupport } from '../src/support.js';
import { world } from './client.js';

const support = describeSupport();

const refused = (features: readonly Feature[]): string[] =>
  features.filter(({ status }) => status === 'refused').map(({ name }) => name);

const besideFields = new Set(['$text', '$where']);

const stages: readonly (readonly [string, object])[] = [
  ...refused(support.stages).map(name => [name, { [name]: {} }] as const),
  ...refused(support.expressions).map(name => [name, { $set: { a: { [name]: 'textScore' } } }] as const),
  ...refused(support.accumulators).map(name => [name, { $group: { _id: 1, a: { [name]: {} } } }] as const),
  ...refused(support.queryOperators).map(
    name => [name, { $match: besideFields.has(name) ? { [name]: {} } : { a: { [name]: {} } } }] as const,
  ),
];

test.each(stages)('%s is listed as refused, and fails with its own error', async (_name, stage) => {
  const { client } = world();
  await client.plain({ create: 'c' });
  const refusal = await client.refusal({ aggregate: 'c', pipeline: [stage], cursor: {} });
  expect(refusal).toMatch(/^\d+ /);
  expect(refusal).not.toMatch(/^(?:40324|168|15952|2 unknown)/);
});

test.each(refused(support.commands))('the command %s is listed as refused, and fails', async name => {
  expect(await world().client.refusal({ [name]: 1 }, 'admin')).toMatch(/^(?!59 )\d+ /);
});

test('each list is sorted, has no duplicates, and explains features that are not fully supported', () => {
  for (const features of Object.values(support) as (readonly Feature[])[]) {
    const names = features.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)].sort());
    for (const { name, status, note } of features) {
      expect({ name, explained: note !== '' }).toEqual({ name, explained: status !== 'supported' });
    }
  }
});

import { describe, expect, test } from 'vitest';
import type { ServerOptions } from '../../src/index.js';
import type { Client } from '../client.js';
import { world } from '../client.js';

/** A collection with 20 documents of about 1,000 bytes each. */
const filled = async (options: ServerOptions): Promise<Client> => {
  const { client } = world(options);
  const documents = Array.from({ length: 20 }, (_, _id) => ({ _id, k: -_id, s: 'x'.repeat(1_000) }));
  await client.plain({ insert: 'c', documents });
  return client;
};

const sort = { k: 1 };
const find = { find: 'c', sort };
const aggregate = (...pipeline: readonly object[]) => ({ aggregate: 'c', pipeline, cursor: {} });
const sorting = aggregate({ $sort: sort });
const grouping = aggregate({ $group: { _id: '$k', all: { $push: '$$ROOT' } } });

const limits = {
  internalQueryMaxBlockingSortMemoryUsageBytes: 10_000,
  internalDocumentSourceGroupMaxMemoryBytes: 10_000,
};
const exceeded = 'Sort exceeded memory limit of 10000 bytes, but did not opt in to external sorting.';
const tooManyGroups =
  "Exceeded memory limit for $group, but didn't allow external sort. Pass allowDiskUse:true to opt in.";

describe('the memory limit of $sort and $group', () => {
  test.each([
    ['8.2.1', find, `292 Executor error during find command: db.c :: caused by :: ${exceeded}`],
    ['8.2.1', sorting, `292 Executor error during aggregate command on namespace: db.c :: caused by :: ${exceeded}`],
    [
      '8.2.1',
      grouping,
      `292 Executor error during aggregate command on namespace: db.c :: caused by :: ${tooManyGroups}`,
    ],
    ['7.0.1', sorting, `292 PlanExecutor error during aggregation :: caused by :: ${exceeded}`],
    ['6.0.1', find, `292 Executor error during find command :: caused by :: ${exceeded}`],
  ])('in version %s applies with allowDiskUse: false to %j', async (version, command, why) => {
    const client = await filled({ version, parameters: limits });
    expect(await client.plain(command)).toMatchObject({ ok: 1 });
    expect(await client.refusal({ ...command, allowDiskUse: false })).toBe(why);
  });

  test('includes the stages of a view', async () => {
    const client = await filled({ version: '7.0.1', parameters: limits });
    await client.plain({ create: 'v', viewOn: 'c', pipeline: grouping.pipeline });
    expect(await client.plain({ find: 'v' })).toMatchObject({ ok: 1 });
    expect(await client.refusal({ find: 'v', allowDiskUse: false })).toBe(
      `292 PlanExecutor error during aggregation :: caused by :: ${tooManyGroups}`,
    );
  });

  test('applies before version 6.0, unless the command sets allowDiskUse: true', async () => {
    const client = await filled({ version: '5.0.1', parameters: limits });
    for (const command of [find, sorting, grouping]) {
      expect(await client.refusal(command)).toMatch(/^292 /);
      expect(await client.plain({ ...command, allowDiskUse: true })).toMatchObject({ ok: 1 });
    }
  });

  test('applies by default if allowDiskUseByDefault is false, from version 6.0 on', async () => {
    const client = await filled({ version: '6.0.1', parameters: { ...limits, allowDiskUseByDefault: false } });
    for (const command of [find, sorting, grouping]) {
      expect(await client.refusal(command)).toMatch(/^292 /);
      expect(await client.plain({ ...command, allowDiskUse: true })).toMatchObject({ ok: 1 });
    }
  });

  test('applies to every find in version 4.2, with other error codes', async () => {
    const parameters = {
      internalQueryExecMaxBlockingSortBytes: 10_000,
      internalDocumentSourceGroupMaxMemoryBytes: 10_000,
    };
    const client = await filled({ version: '4.2.0', parameters });
    expect(await client.refusal(find)).toBe(
      '96 Executor error during find command :: caused by :: Sort operation used more than the maximum 10000 bytes of RAM. ' +
        'Add an index, or specify a smaller limit.',
    );
    expect(await client.refusal(grouping)).toBe(`16945 ${tooManyGroups}`);
    // In version 4.2 the limit of $sort is another parameter.
    expect(await client.plain(sorting)).toMatchObject({ ok: 1 });
  });
});

test('a sort with a limit counts only the documents that it keeps', async () => {
  const client = await filled({ parameters: limits });
  const no = { allowDiskUse: false };
  expect(await client.plain({ ...find, ...no, limit: 5 })).toMatchObject({ ok: 1 });
  expect(await client.plain({ ...aggregate({ $sort: sort }, { $limit: 5 }), ...no })).toMatchObject({ ok: 1 });
  expect(await client.refusal({ ...find, ...no, limit: 15 })).toMatch(/^292 /);
});

test.each([
  ['a sort by an index', { ...find, sort: { _id: 1 } }],
  ['a $group with small accumulators', aggregate({ $group: { _id: '$k', n: { $sum: 1 } } })],
])('%s does not reach the memory limit', async (_title, command) => {
  const client = await filled({ parameters: limits });
  expect(await client.plain({ ...command, allowDiskUse: false })).toMatchObject({ ok: 1 });
});

test.each([
  ['$bucketAuto', { $bucketAuto: { groupBy: '$k', buckets: 2 } }],
  ['$setWindowFields', { $setWindowFields: { partitionBy: '$k', sortBy: sort, output: { n: { $sum: 1 } } } }],
  ['$setWindowFields of one partition', { $setWindowFields: { sortBy: sort, output: { n: { $sum: 1 } } } }],
])('the sort of %s counts towards the memory limit', async (_title, stage) => {
  const client = await filled({ parameters: limits });
  const command = aggregate(stage);
  expect(await client.plain(command)).toMatchObject({ ok: 1 });
  expect(await client.refusal({ ...command, allowDiskUse: false })).toBe(
    `292 Executor error during aggregate command on namespace: db.c :: caused by :: ${exceeded}`,
  );
});

import { expect, test } from 'vitest';
import { Client, testRuntime } from '../../../server/test/client.js';
import type { ClusterOptions } from '../../src/index.js';
import { createCluster } from '../../src/index.js';

/** Inserts documents of about 1.6 MB through a cluster. Returns the error code of the reply, or 0. */
const codeOf = async (options: ClusterOptions): Promise<number> => {
  const listening = { address: '127.0.0.1:1' as const, close: () => Promise.resolve() };
  const runtime = { ...testRuntime(), listener: { listen: () => Promise.resolve(listening) } };
  const cluster = await createCluster(runtime, { topology: 'sharded', memoryLimitMB: 3, ...options });
  const client = new Client(cluster.mongoses[0]!);
  const documents = Array.from({ length: 1_400 }, (_, _id) => ({ _id, text: 'x'.repeat(1_000) }));
  const { code = 0 } = await client.plain({ insert: 'c', documents });
  await cluster.close();
  return code;
};

test('the shards of a cluster share memoryLimitMB equally', async () => {
  expect(await codeOf({ shards: 1 })).toBe(0);
  expect(await codeOf({ shards: 2 })).toBe(146);
});

import { Timestamp } from 'bson';
import { describe, expect, test } from 'vitest';
import type { Client, World } from '../../../server/test/client.js';
import { world } from '../../../server/test/client.js';
import { set, watch } from '../../../server/test/streams/stream.js';
import { insert, members, nearest } from './members.js';

const operationTime = async (client: Client): Promise<unknown> => (await client.plain({ ping: 1 }))['operationTime'];

const notes = async (client: Client): Promise<readonly unknown[]> => {
  const command = { find: 'oplog.rs', filter: { op: 'n', 'o.msg': 'periodic noop' }, ...nearest };
  return (await client.plain(command, 'local')).cursor.firstBatch.map(({ ts }) => ts);
};

describe('a primary without writes for 10 seconds', () => {
  const idle = async (options: Parameters<typeof set>[0] = {}, seconds = 10): Promise<World> => {
    const one = set(options);
    await one.client.plain({ insert: 'c', documents: [{ _id: 1 }] });
    await one.clock.advance(1_000 * seconds);
    return one;
  };

  test('writes a no-op entry at the next command', async () => {
    const { client } = await idle();
    expect(await operationTime(client)).toEqual(new Timestamp({ t: 1_700_000_011, i: 1 }));
    expect(await notes(client)).toEqual([new Timestamp({ t: 1_700_000_011, i: 1 })]);
  });

  test('sets no timer for it', async () => {
    const { client, clock } = await idle();
    await operationTime(client);
    expect(clock.pending).toBe(0);
  });

  test.each([
    ['before the interval is over', {}, 9],
    ['if writePeriodicNoops is off', { parameters: { writePeriodicNoops: false } }, 600],
    ['before periodicNoopIntervalSecs have passed', { parameters: { periodicNoopIntervalSecs: 60 } }, 59],
  ])('writes no no-op entry %s', async (_title, options, seconds) => {
    const { client } = await idle(options, seconds);
    expect(await operationTime(client)).toMatchObject(new Timestamp({ t: 1_700_000_001, i: 3 }));
  });

  test('advances the resume token of a change stream', async () => {
    const one = set();
    const stream = await watch(one);
    const { token } = stream;
    await one.clock.advance(10_000);
    expect(await stream.more()).toEqual([]);
    expect(stream.token).not.toEqual(token);
    await one.client.plain({ insert: 'c', documents: [{ _id: 1 }] });
    expect((await watch(one, { resumeAfter: stream.token })).first).toHaveLength(1);
  });

  test('replicates the no-op entry to the other members', async () => {
    const one = members(3);
    await insert(one.clients[0]!, 1);
    await one.clock.advance(10_000);
    const time = await operationTime(one.clients[0]!);
    expect(await Promise.all(one.clients.map(operationTime))).toEqual([time, time, time]);
    await one.close();
  });
});

test('both parameters can be set at startup only', async () => {
  const { client } = world();
  for (const name of ['writePeriodicNoops', 'periodicNoopIntervalSecs'])
    expect(await client.refusal({ setParameter: 1, [name]: 1 }, 'admin')).toBe(
      `20 not allowed to change [${name}] at runtime`,
    );
});

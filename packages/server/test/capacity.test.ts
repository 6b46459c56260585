import { expect, test } from 'vitest';
import type { World } from './client.js';
import { Client, settled, world } from './client.js';

/** A server that executes one command at a time and queues two. */
const busy = (): World => world({ replicaSet: 'rs0', capacity: { serviceTime: 10, queue: 2 } });

const find = (world: World): { readonly client: Client; readonly answer: Promise<number> } => {
  const client = new Client(world.server);
  return { client, answer: client.plain({ find: 'c' }).then(({ code = 0 }) => code) };
};

test('commands run one after the other, each for the service time', async () => {
  const world1 = busy();
  const seen: number[] = [];
  for (const which of [0, 1, 2]) void find(world1).answer.then(() => seen.push(which));
  for (const expected of [[0], [0, 1], [0, 1, 2]]) {
    await world1.clock.advance(9);
    expect(seen).toHaveLength(expected.length - 1);
    await world1.clock.advance(1);
    expect(seen).toEqual(expected);
  }
});

test('a command that finds the queue full fails at once with code 462 and the overload labels', async () => {
  const world1 = busy();
  for (let i = 0; i < 3; i++) find(world1);
  await settled();
  const { errorLabels, code, codeName, ok } = await new Client(world1.server).plain({ insert: 'c', documents: [{}] });
  expect({ errorLabels, code, codeName, ok }).toEqual({
    errorLabels: ['SystemOverloadedError', 'RetryableError'],
    code: 462,
    codeName: 'IngressRequestRateLimitExceeded',
    ok: 0,
  });
  await world1.clock.advance(10);
  const next = find(world1);
  await world1.clock.advance(30);
  expect(await next.answer).toBe(0);
  expect(world1.server.load).toEqual({ admitted: 4, refused: 1 });
});

test('rejecting a command takes refusalTime, which delays queued commands', async () => {
  const world1 = world({ replicaSet: 'rs0', capacity: { serviceTime: 10, queue: 1, refusalTime: 4 } });
  const seen: string[] = [];
  const start = (name: string): void => void find(world1).answer.then(code => seen.push(`${name} ${code}`));
  ['a', 'b', 'c', 'd'].forEach(start);
  await world1.clock.advance(3);
  expect(seen).toEqual([]);
  await world1.clock.advance(1);
  expect(seen).toEqual(['c 462']);
  await world1.clock.advance(6);
  expect(seen).toEqual(['c 462', 'd 462', 'a 0']);
  await world1.clock.advance(10);
  expect(seen).toEqual(['c 462', 'd 462', 'a 0', 'b 0']);
  start('e');
  await world1.clock.advance(17);
  expect(seen).toHaveLength(4);
  await world1.clock.advance(1);
  expect(seen.at(-1)).toBe('e 0');
});

test('hello, ping and buildInfo do not wait', async () => {
  const world1 = busy();
  for (let i = 0; i < 5; i++) void find(world1).answer;
  for (const command of [{ hello: 1 }, { ping: 1 }, { buildInfo: 1 }])
    expect(await new Client(world1.server).plain(command)).toMatchObject({ ok: 1 });
});

test('a server without a capacity counts nothing and delays nothing', async () => {
  const world1 = world();
  expect(await find(world1).answer).toBe(0);
  expect(world1.server.load).toEqual({ admitted: 0, refused: 0 });
});

import { expect, test } from 'vitest';
import { Client, settled, world } from './client.js';

const limited = async (set: Readonly<Record<string, number | boolean>>) => {
  const { server, clock, client } = world();
  const names = Object.entries(set).map(([name, value]) => [`ingressConnectionEstablishment${name}`, value] as const);
  for (const [name, value] of names) await client.run({ setParameter: 1, [name]: value }, 'admin');
  /** Opens connections. Counts the connections that stay open, and the replies to their hello. */
  const come = (count: number): { left: () => number; answered: () => number } => {
    const all = Array.from({ length: count }, () => new Client(server)).filter(({ closed }) => !closed);
    let answered = 0;
    for (const one of all) void one.plain({ hello: 1 }, 'admin').then(() => (answered += 1));
    return { left: () => all.length, answered: () => answered };
  };
  return { clock, client, come };
};

const enabled = { RateLimiterEnabled: true, RatePerSec: 20, BurstCapacitySecs: 1, MaxQueueDepth: 3 };

test('rate limiter: closes connections beyond burst and queue, and delays those in the queue', async () => {
  const { clock, come } = await limited(enabled);
  const { left, answered } = come(100);
  await settled();
  expect([left(), answered()]).toEqual([23, 20]);
  await clock.advance(49);
  expect(answered()).toBe(20);
  await clock.advance(1);
  expect(answered()).toBe(21);
  await clock.advance(100);
  expect(answered()).toBe(23);
});

test('rate limiter: an idle period restores the burst, but no more', async () => {
  const { clock, come } = await limited({ ...enabled, MaxQueueDepth: 0 });
  expect(come(30).left()).toBe(20);
  expect(come(30).left()).toBe(0);
  await clock.advance(500);
  expect(come(30).left()).toBe(10);
  await clock.advance(60_000);
  expect(come(30).left()).toBe(20);
});

test('rate limiter: accepts every connection if it is disabled, or without a rate', async () => {
  const off = await limited({ ...enabled, RateLimiterEnabled: false });
  expect(off.come(100).left()).toBe(100);
  const endless = await limited({ RateLimiterEnabled: true });
  expect(endless.come(100).left()).toBe(100);
});

test.each(['RatePerSec', 'BurstCapacitySecs'])('rate limiter: rejects a %s of 0', async name => {
  const { client } = world();
  const parameter = `ingressConnectionEstablishment${name}`;
  expect(await client.refusal({ setParameter: 1, [parameter]: 0 }, 'admin')).toBe(
    `2 Invalid value for parameter ${parameter}: 0 is not greater than 0`,
  );
});

test('rate limiter: does not affect open connections', async () => {
  const { client, come } = await limited({ ...enabled, MaxQueueDepth: 0 });
  come(30);
  expect((await client.plain({ ping: 1 }, 'admin')).ok).toBe(1);
});

import { expect, test } from 'vitest';
import { createTopology, reduce } from '../src/index.js';
import type { Reduce } from '../src/index.js';
import { connectTo, listen, ping, poolsOf, primary, request, server, world } from './scripted.js';

test('applies the effects of a custom reducer, which may wrap the default one', async () => {
  const { runtime, run } = world();
  const { clock, random } = runtime;
  const a = 'a:27017';
  const pools = poolsOf();
  const reductions: string[] = [];
  const listening: Reduce = (description, input, settings) => {
    const reduction = reduce(description, input, settings);
    reductions.push(`${input.type}: ${reduction.effects.map(({ type }) => type).join(' ')}`);
    return { ...reduction, effects: reduction.effects.filter(({ type }) => type !== 'event') };
  };
  const events = listen();
  await run(async () => {
    const connect = connectTo({ [a]: server(primary([a])) }, clock);
    const topology = createTopology(
      { clock, random, events, connect, openPool: pools.open, reduce: listening },
      { seeds: [a], serverMonitoringMode: 'poll' },
    );
    expect(await topology.select(request(ping))).toMatchObject({ description: { address: a, type: 'RSPrimary' } });
    await topology.close();
  });
  expect(reductions).toEqual([
    'open: event event event openServer',
    'checked: readyPool event event',
    'close: closeServer event event event',
  ]);
  expect(events.emitted.filter(({ name }) => name.startsWith('topology'))).toEqual([]);
});

import { describe, expect, test } from 'vitest';
import { names, withServers } from './with-servers.js';
import type { Layout, Setup } from './with-servers.js';

const set: Layout = { topology: 'replicaset', setName: 'rs', members: 1 };

const casts: readonly (readonly [title: string, layout: Layout, query: string])[] = [
  ['a replica set', set, 'replicaSet=rs'],
  ['a sharded cluster', { topology: 'sharded', mongoses: 1 }, ''],
];

const modes = ['stream', 'poll'] as const;

/** The time limit of an operation with its retry: a few round trips of 2 ms. */
const atOnce = 20;

const timeOf = async ({ now }: Setup, run: () => Promise<unknown>): Promise<number> => {
  const began = now();
  await run();
  return now() - began;
};

describe('an operation whose connection is lost is retried at once, on a healthy server', () => {
  for (const [title, layout, query] of casts) {
    for (const mode of modes) {
      test(`${title}, serverMonitoringMode ${mode}`, () =>
        withServers(layout, async setup => {
          const { open, failPoint, sleep } = setup;
          const films = open(`mongodb://db1/?serverMonitoringMode=${mode}&${query}`).db('test').collection('films');
          await films.insertOne({ title: 'M' });
          await sleep(5000);
          await failPoint('db1', { times: 1 }, { failCommands: ['find', 'insert'], closeConnection: true });
          expect(await timeOf(setup, () => films.findOne())).toBeLessThanOrEqual(atOnce);
          await sleep(5000);
          await failPoint('db1', { times: 1 }, { failCommands: ['insert'], closeConnection: true });
          expect(await timeOf(setup, () => films.insertOne({ title: 'Nosferatu' }))).toBeLessThanOrEqual(atOnce);
        }));
    }
  }

  test('one hundred operations, every third of which loses its connection', () =>
    withServers(set, async setup => {
      const films = setup.open('mongodb://db1/?replicaSet=rs').db('test').collection('films');
      await films.insertOne({ title: 'M' });
      await setup.failPoint('db1', { activationProbability: 0.3 }, { failCommands: ['find'], closeConnection: true });
      const times: number[] = [];
      for (let i = 0; i < 100; i++) times.push(await timeOf(setup, () => films.findOne().catch(() => null)));
      expect(Math.max(...times)).toBeLessThanOrEqual(40);
    }));

  test('another mongos, while the first one is down', () =>
    withServers({ topology: 'sharded', mongoses: 2 }, async setup => {
      const films = setup.open('mongodb://db1,db2/').db('test').collection('films');
      await films.insertOne({ title: 'M' });
      await setup.sleep(5000);
      setup.world.network.refuse('db1');
      setup.world.network.reset('db1');
      const times: number[] = [];
      for (let i = 0; i < 20; i++) times.push(await timeOf(setup, () => films.findOne()));
      expect(Math.max(...times)).toBeLessThanOrEqual(atOnce);
    }));

  test('a list of mongos, when all connections are lost twenty times', () =>
    withServers({ topology: 'sharded', mongoses: 2 }, async setup => {
      const films = setup.open('mongodb://db1,db2/').db('test').collection('films');
      await films.insertOne({ title: 'M' });
      await setup.sleep(5000);
      const times: number[] = [];
      for (let i = 0; i < 20; i++) {
        await setup.sleep(100);
        setup.world.network.reset('*');
        times.push(await timeOf(setup, () => films.findOne()));
      }
      expect(Math.max(...times)).toBeLessThanOrEqual(atOnce);
    }));

  test('a load balancer: a new connection to the same address', () =>
    withServers({ topology: 'load-balanced', mongoses: 2 }, async setup => {
      const films = setup.open('mongodb://db1/?loadBalanced=true').db('test').collection('films');
      await films.insertOne({ title: 'M' });
      const times: number[] = [];
      for (let i = 0; i < 20; i++) {
        setup.world.network.reset('db1');
        times.push(await timeOf(setup, () => films.findOne()));
      }
      expect(Math.max(...times)).toBeLessThanOrEqual(atOnce);
    }));
});

describe('an operation that meets a change of state is retried at once, on a server that answers', () => {
  const codes: readonly (readonly [title: string, errorCode: number, cleared: number])[] = [
    ['not writable primary', 10107, 0],
    ['shutdown in progress', 91, 1],
    ['interrupted at shutdown', 11600, 1],
  ];
  for (const [title, layout, query] of casts) {
    for (const mode of modes) {
      test.each(codes)(`${title}, serverMonitoringMode ${mode}: %s`, (_, errorCode, cleared) =>
        withServers(layout, async setup => {
          const { open, failPoint, sleep, events } = setup;
          const films = open(`mongodb://db1/?serverMonitoringMode=${mode}&${query}`).db('test').collection('films');
          await films.insertOne({ title: 'M' });
          await sleep(5000);
          const errorLabels = ['RetryableWriteError'];
          await failPoint('db1', { times: 1 }, { failCommands: ['insert'], errorCode, errorLabels });
          expect(await timeOf(setup, () => films.insertOne({ title: 'Nosferatu' }))).toBeLessThanOrEqual(atOnce);
          expect(names(events, 'connectionPoolCleared')).toHaveLength(cleared);
        }),
      );
    }
  }
});

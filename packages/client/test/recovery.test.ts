import { describe, expect, test } from 'vitest';
import { withServers } from './with-servers.js';
import type { Layout } from './with-servers.js';

const casts: readonly (readonly [title: string, layout: Layout, query: string])[] = [
  ['a replica set', { topology: 'replicaset', setName: 'rs', members: 1 }, 'replicaSet=rs'],
  ['a sharded cluster', { topology: 'sharded', mongoses: 1 }, ''],
];

const modes = ['stream', 'poll'] as const;

describe('an operation whose connection is lost is retried at once, on a healthy server', () => {
  for (const [title, layout, query] of casts) {
    for (const mode of modes) {
      test(`${title}, serverMonitoringMode ${mode}`, () =>
        withServers(layout, async ({ open, failPoint, now, sleep }) => {
          const films = open(`mongodb://db1/?serverMonitoringMode=${mode}&${query}`).db('test').collection('films');
          await films.insertOne({ title: 'M' });
          await sleep(5000);
          await failPoint('db1', { times: 1 }, { failCommands: ['find', 'insert'], closeConnection: true });
          const began = now();
          await films.findOne();
          expect(now() - began).toBeLessThanOrEqual(20);
          await sleep(5000);
          await failPoint('db1', { times: 1 }, { failCommands: ['insert'], closeConnection: true });
          const second = now();
          await films.insertOne({ title: 'Nosferatu' });
          expect(now() - second).toBeLessThanOrEqual(20);
        }));
    }
  }

  test('three hundred operations, every third of which loses its connection', () =>
    withServers(casts[0]![1], async ({ open, failPoint, now }) => {
      const films = open('mongodb://db1/?replicaSet=rs').db('test').collection('films');
      await films.insertOne({ title: 'M' });
      await failPoint('db1', { activationProbability: 0.3 }, { failCommands: ['find'], closeConnection: true });
      const times: number[] = [];
      for (let i = 0; i < 300; i++) {
        const began = now();
        await films.findOne().catch(() => null);
        times.push(now() - began);
      }
      expect(Math.max(...times)).toBeLessThanOrEqual(40);
    }));
});

import { describe, expect, test } from 'vitest';
import { onStage } from './stage.js';
import type { Cast } from './stage.js';

const casts: readonly (readonly [title: string, cast: Cast, query: string])[] = [
  ['a replica set', { topology: 'replicaset', setName: 'rs', members: 1 }, 'replicaSet=rs'],
  ['a sharded cluster', { topology: 'sharded', mongoses: 1 }, ''],
];

const modes = ['stream', 'poll'] as const;

describe('an operation whose connection is lost is retried at once, on a healthy server', () => {
  for (const [title, cast, query] of casts) {
    for (const mode of modes) {
      test(`${title}, serverMonitoringMode ${mode}`, () =>
        onStage(cast, async ({ open, failPoint, now, sleep }) => {
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
    onStage(casts[0]![1], async ({ open, failPoint, now }) => {
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

import { expect, test } from 'vitest';
import { runInLanes } from '../lanes.mjs';

interface Timed {
  readonly name: string;
  readonly alone?: boolean;
  /** How many turns it takes. */
  readonly turns: number;
}

/** What ran side by side: the tasks under way whenever one began. */
const play = async (tasks: readonly Timed[], lanes: number) => {
  const underWay = new Set<string>();
  const seen: string[] = [];
  const results = await runInLanes(tasks, lanes, async ({ name, turns }) => {
    underWay.add(name);
    seen.push([...underWay].join('+'));
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    underWay.delete(name);
    return name.toUpperCase();
  });
  return { seen, results };
};

test('as many tasks run side by side as there are lanes, and the results keep the order of the list', async () => {
  const tasks = [
    { name: 'a', turns: 50 },
    { name: 'b', turns: 5 },
    { name: 'c', turns: 5 },
  ];
  expect(await play(tasks, 2)).toEqual({ seen: ['a', 'a+b', 'a+c'], results: ['A', 'B', 'C'] });
});

test('a task that is alone waits for all others, and no other overtakes it or runs beside it', async () => {
  const tasks = [
    { name: 'a', turns: 50 },
    { name: 'b', turns: 5, alone: true },
    { name: 'c', turns: 5 },
    { name: 'd', turns: 5 },
  ];
  expect(await play(tasks, 2)).toEqual({ seen: ['a', 'b', 'c', 'c+d'], results: ['A', 'B', 'C', 'D'] });
});

test('nothing to do is done at once', async () => {
  expect(await play([], 2)).toEqual({ seen: [], results: [] });
});

import { expect, test } from 'vitest';
import { runInLanes } from '../lanes.mjs';

interface Timed {
  readonly name: string;
  readonly alone?: boolean;
  readonly after?: readonly string[];
  /** The number of turns that the task takes. */
  readonly turns: number;
}

/** Runs the tasks, and returns which tasks were running whenever one started. */
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

test('as many tasks run in parallel as there are lanes, and the results keep the order of the list', async () => {
  const tasks = [
    { name: 'a', turns: 50 },
    { name: 'b', turns: 5 },
    { name: 'c', turns: 5 },
  ];
  expect(await play(tasks, 2)).toEqual({ seen: ['a', 'a+b', 'a+c'], results: ['A', 'B', 'C'] });
});

test('a task that is alone waits for all others, and no later task starts before or with it', async () => {
  const tasks = [
    { name: 'a', turns: 50 },
    { name: 'b', turns: 5, alone: true },
    { name: 'c', turns: 5 },
    { name: 'd', turns: 5 },
  ];
  expect(await play(tasks, 2)).toEqual({ seen: ['a', 'b', 'c', 'c+d'], results: ['A', 'B', 'C', 'D'] });
});

test('a task waits for the tasks that it starts after, and later tasks take its place', async () => {
  const tasks = [
    { name: 'a', turns: 50 },
    { name: 'b', turns: 5, after: ['a', 'unknown'] },
    { name: 'c', turns: 5 },
    { name: 'd', turns: 90 },
  ];
  expect(await play(tasks, 2)).toEqual({ seen: ['a', 'a+c', 'a+d', 'd+b'], results: ['A', 'B', 'C', 'D'] });
});

test('a task that is alone does not run beside a task that it starts after', async () => {
  const tasks = [
    { name: 'a', turns: 50 },
    { name: 'b', turns: 5, alone: true, after: ['a'] },
    { name: 'c', turns: 5 },
  ];
  expect(await play(tasks, 2)).toEqual({ seen: ['a', 'b', 'c'], results: ['A', 'B', 'C'] });
});

test('resolves at once without tasks', async () => {
  expect(await play([], 2)).toEqual({ seen: [], results: [] });
});

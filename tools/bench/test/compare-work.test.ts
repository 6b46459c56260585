import { expect, test } from 'vitest';
import { compareWork } from '../src/compare-work.js';
import { short } from '../src/effort.js';
import { rowsNamed } from '../src/rows.js';
import type { SideName } from '../src/side.js';
import type { Answers, Task } from '../src/tasks.js';
import type { Worker } from '../src/worker-handle.js';

const [row] = rowsNamed('ping@16');

interface Told {
  readonly side: SideName;
  readonly do: Task['do'];
}

/** A worker that needs so many microseconds for an operation, and whose result in that slice is another one. */
const scripted = (side: SideName, micros: number, told: Told[], wrongSlice?: number): Worker => {
  let slices = 0;
  const answers = {
    verify: () => ({ digest: 'right' }),
    measure: () => ({
      slice: { operations: 10, cpuMicros: 10 * micros, wallMicros: 10 * micros },
      digest: slices++ === wrongSlice ? 'wrong' : 'right',
    }),
    explain: () => `{"from":"${side}"}`,
  };
  return {
    side,
    ask: async <T extends Task>(task: T): Promise<Answers[T['do']]> => {
      told.push({ side, do: task.do });
      return answers[task.do as keyof typeof answers]() as Answers[T['do']];
    },
    stop: () => {},
  };
};

test('the two take turns, and who begins changes from round to round', async () => {
  const told: Told[] = [];
  const workers = { ours: scripted('ours', 5, told), theirs: scripted('theirs', 15, told) };
  const { comparison, wrong } = await compareWork(workers, row as never, short);
  expect([comparison?.cpuRatio, wrong]).toEqual([3, []]);
  expect(told.filter(({ do: what }) => what === 'measure').map(({ side }) => side)).toEqual([
    ...['ours', 'theirs'], // which warms them up
    ...['ours', 'theirs', 'theirs', 'ours', 'ours', 'theirs'],
  ]);
});

test('a result that becomes another while it is measured is told with its round, and there is no comparison', async () => {
  const workers = { ours: scripted('ours', 5, [], 2), theirs: scripted('theirs', 15, []) };
  expect(await compareWork(workers, row as never, short)).toEqual({
    comparison: undefined,
    wrong: [
      'ping@16: the results differ in round 2: from character 9 on ours is «{"from":"ours"}», the official «{"from":"theirs"}».',
    ],
  });
});

import { expect, test } from 'vitest';
import { compareWork } from '../src/compare-work.js';
import { short } from '../src/effort.js';
import { rowsNamed } from '../src/rows.js';
import type { SideName } from '../src/side.js';
import type { Answers, Task } from '../src/tasks.js';
import type { Worker } from '../src/worker-handle.js';

const [row] = rowsNamed('ping@16');

interface Asked {
  readonly side: SideName;
  readonly do: Task['do'];
}

/** A worker that needs the given microseconds per operation. In slice `wrongSlice` its result is different. */
const scripted = (side: SideName, micros: number, asked: Asked[], wrongSlice?: number): Worker => {
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
      asked.push({ side, do: task.do });
      return answers[task.do as keyof typeof answers]() as Answers[T['do']];
    },
    stop: () => {},
  };
};

test('compareWork runs both drivers in each round, in alternating order', async () => {
  const asked: Asked[] = [];
  const workers = { ours: scripted('ours', 5, asked), theirs: scripted('theirs', 15, asked) };
  const { comparison, wrong } = await compareWork(workers, row as never, short);
  expect([comparison?.cpuRatio, wrong]).toEqual([3, []]);
  expect(asked.filter(({ do: what }) => what === 'measure').map(({ side }) => side)).toEqual([
    ...['ours', 'theirs'], // the warm-up
    ...['ours', 'theirs', 'theirs', 'ours', 'ours', 'theirs'],
  ]);
});

test('compareWork reports a result that changes during measuring, with its round, and returns no comparison', async () => {
  const workers = { ours: scripted('ours', 5, [], 2), theirs: scripted('theirs', 15, []) };
  expect(await compareWork(workers, row as never, short)).toEqual({
    comparison: undefined,
    wrong: [
      'ping@16: The results differ in round 2: at character 9, Tessera has «{"from":"ours"}», the official driver «{"from":"theirs"}».',
    ],
  });
});

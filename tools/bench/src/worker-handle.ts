import { sideTitles } from './side.js';
import type { Program, SideName } from './side.js';
import type { Answer, Answers, Task } from './tasks.js';
import { nextMessage, start, stop } from './worker-process.js';

/** A driver in a separate process. */
export interface Worker {
  readonly side: SideName;
  ask<T extends Task>(task: T): Promise<Answers[T['do']]>;
  stop(): void;
}

/** Flags for counting. It needs the garbage collector and slows down operations, so it has separate processes. */
const countingFlags = ['--expose-gc', '--max-semi-space-size=64', '--min-semi-space-size=64'];

export const startWorker = (side: SideName, purpose: 'measure' | 'count', program: Program = side): Worker => {
  const child = start('./worker.js', [program, purpose], purpose === 'count' ? countingFlags : []);
  return {
    side,
    ask: async <T extends Task>(task: T): Promise<Answers[T['do']]> => {
      const what = `${sideTitles[side]}, ${task.do} ${'work' in task ? task.work : ''}`.trim();
      const answer = nextMessage<Answer>(child, what);
      if (child.connected) child.send(task);
      const { is, ...rest } = await answer;
      if (is === 'failed') throw new Error(`${what}: ${(rest as { reason: string }).reason}`);
      return (rest as { value: unknown }).value as Answers[T['do']];
    },
    stop: () => stop(child),
  };
};

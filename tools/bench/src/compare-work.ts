import { difference } from './difference.js';
import type { Effort } from './effort.js';
import { compare } from './ratio.js';
import type { Comparison, Round } from './ratio.js';
import type { Both } from './report.js';
import { titleOf } from './rows.js';
import type { Row } from './rows.js';
import { sideNames } from './side.js';
import type { SideName } from './side.js';
import type { Worker } from './worker-handle.js';

export type Workers = Both<Worker>;

/** Runs both drivers one after the other, so that they do not compete for the CPU. */
const inTurn = async <T>(order: readonly SideName[], run: (side: SideName) => Promise<T>): Promise<Both<T>> => {
  const results: Partial<Record<SideName, T>> = {};
  for (const side of order) results[side] = await run(side);
  return results as Both<T>;
};

const disagreement = async (
  { ours, theirs }: Workers,
  digests: Both<{ readonly digest: string }>,
  title: string,
  when: string,
): Promise<readonly string[]> => {
  if (digests.ours.digest === digests.theirs.digest) return [];
  const where = difference(await ours.ask({ do: 'explain' }), await theirs.ask({ do: 'explain' }));
  return [`${title}: The results differ ${when}: ${where}.`];
};

export interface WorkComparison {
  readonly comparison: Comparison | undefined;
  readonly wrong: readonly string[];
}

/** Measures both drivers in alternating order. Compares their results before the first round and after each slice. */
export const compareWork = async (
  workers: Workers,
  row: Row & { is: 'codec' | 'driver' },
  effort: Effort,
): Promise<WorkComparison> => {
  const work = row.name;
  const title = titleOf(row);
  const heavy = row.is === 'driver' && row.weight === 'heavy';
  const inFlight = row.is === 'driver' ? row.inFlight : 1;
  const verified = await inTurn(sideNames, side => workers[side].ask({ do: 'verify', work }));
  const wrong = await disagreement(workers, verified, title, 'before measuring');
  if (wrong.length > 0) return { comparison: undefined, wrong };
  const slices = (order: readonly SideName[], milliseconds: number) =>
    inTurn(order, side => workers[side].ask({ do: 'measure', work, inFlight, milliseconds }));
  await slices(sideNames, heavy ? effort.heavySlice : effort.warmUp);
  const rounds: Round[] = [];
  for (let number = 0; number < (heavy ? effort.heavyRounds : effort.rounds); number += 1) {
    const order = number % 2 === 0 ? sideNames : [...sideNames].reverse();
    const { ours, theirs } = await slices(order, heavy ? effort.heavySlice : effort.slice);
    const differences = await disagreement(workers, { ours, theirs }, title, `in round ${number + 1}`);
    if (differences.length > 0) return { comparison: undefined, wrong: differences };
    rounds.push({ ours: ours.slice, theirs: theirs.slice });
  }
  return { comparison: compare(rounds), wrong: [] };
};

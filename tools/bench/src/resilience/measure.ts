import { faultNames } from './faults.js';
import type { FaultName } from './faults.js';
import type { Lane, Place } from './place.js';
import { idempotents, strategies } from './strategies.js';
import type { Idempotent, Strategy } from './strategies.js';
import { runIdempotents, runTrials } from './trial.js';
import type { Outcome } from './trial.js';
import { judge, judgeIdempotent } from './verdict.js';
import type { Cell, IdempotentCell } from './verdict.js';

export interface Measured {
  readonly place: Place['name'];
  readonly seed: number;
  readonly counters: number;
  readonly rows: readonly { readonly strategy: Strategy; readonly cells: Readonly<Record<FaultName, Cell>> }[];
  readonly idempotents: readonly { readonly idempotent: Idempotent; readonly cell: IdempotentCell }[];
}

const portions = (counters: number, perLane: number): readonly (readonly [from: number, count: number])[] =>
  Array.from({ length: Math.ceil(counters / perLane) }, (_, index) => [
    index * perLane,
    Math.min(perLane, counters - index * perLane),
  ]);

/** Runs at most `atOnce` functions at the same time, because each uses its own lanes. Returns the results in order. */
const inGroups = async <T, R>(
  all: readonly T[],
  atOnce: number,
  run: (one: T) => Promise<R>,
): Promise<readonly R[]> => {
  const results: R[] = [];
  for (let from = 0; from < all.length; from += atOnce)
    results.push(...(await Promise.all(all.slice(from, from + atOnce).map(run))));
  return results;
};

export const measure = async (place: Place, counters: number, seed: number): Promise<Measured> => {
  const lanes = portions(counters, place.perLane);
  const atOnce = Math.max(1, Math.floor(place.mostLanes / lanes.length));
  const measureCell = async ([strategy, fault]: readonly [Strategy, FaultName]): Promise<Cell> => {
    const outcomes = await place.inLanes(
      fault,
      lanes.map(
        ([from, count]) =>
          (lane: Lane): Promise<readonly Outcome[]> =>
            runTrials(lane, strategy, fault, seed, from, count),
      ),
    );
    return judge(fault, strategy, outcomes.flat(), place.selectionTimeout(fault));
  };
  const pairs = strategies.flatMap(strategy => faultNames.map(fault => [strategy, fault] as const));
  const cells = await inGroups(pairs, atOnce, measureCell);
  const rows = strategies.map((strategy, row) => ({
    strategy,
    cells: Object.fromEntries(
      faultNames.map((fault, column) => [fault, cells[row * faultNames.length + column]!]),
    ) as Record<FaultName, Cell>,
  }));
  const [without] = strategies;
  const others = await inGroups(idempotents, atOnce, async idempotent => {
    const outcomes = await place.inLanes(
      'transient',
      lanes.map(
        ([from, count]) =>
          (lane: Lane) =>
            runIdempotents(lane, idempotent, without!, seed, from, count),
      ),
    );
    return { idempotent, cell: judgeIdempotent(outcomes.flat()) };
  });
  return { place: place.name, seed, counters, rows, idempotents: others };
};

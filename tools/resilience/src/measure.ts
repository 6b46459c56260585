import type { Millis } from '@tessera/contracts';
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

const measureCell = async (
  place: Place,
  strategy: Strategy,
  fault: FaultName,
  counters: number,
  seed: number,
): Promise<Cell> => {
  let selectionTimeout: Millis = 0;
  const lanes = await place.inLanes(
    portions(counters, place.perLane).map(([from, count]) => (lane: Lane): Promise<readonly Outcome[]> => {
      ({ selectionTimeout } = lane);
      return runTrials(lane, strategy, fault, seed, from, count);
    }),
  );
  return judge(fault, strategy, lanes.flat(), selectionTimeout);
};

const measureRow = async (place: Place, strategy: Strategy, counters: number, seed: number) => {
  const cells: Partial<Record<FaultName, Cell>> = {};
  for (const fault of faultNames) cells[fault] = await measureCell(place, strategy, fault, counters, seed);
  return { strategy, cells: cells as Record<FaultName, Cell> };
};

export const measure = async (place: Place, counters: number, seed: number): Promise<Measured> => {
  const [without] = strategies;
  const rows = [];
  for (const strategy of strategies) rows.push(await measureRow(place, strategy, counters, seed));
  const others = [];
  for (const idempotent of idempotents) {
    const lanes = await place.inLanes(
      portions(counters, place.perLane).map(
        ([from, count]) =>
          (lane: Lane) =>
            runIdempotents(lane, idempotent, without!, seed, from, count),
      ),
    );
    others.push({ idempotent, cell: judgeIdempotent(lanes.flat()) });
  }
  return { place: place.name, seed, counters, rows, idempotents: others };
};

import { memoryHeld } from '../fuzz.js';
import { openWatch } from '../play.js';
import type { Served } from '../served.js';
import type { Planted, Violation } from '../target.js';
import { startTarget } from '../target.js';
import type { DoorCase } from './cases.js';
import { doorCase } from './cases.js';
import type { Failed } from './play.js';
import { playDoor } from './play.js';
import { plant } from './vault.js';

/** The number of cases that run on one server. */
const perServer = 500;

/** The CPU time that the server may use before it answers another client's ping, in milliseconds. */
const mostBusy = 100;

/** How often a case must delay the ping of another client to count, because the first time may compile code. */
const repeats = 3;

const users = [{ user: 'root', pwd: 'root' }];

const servers: readonly Served[] = [
  { replicaSet: 'rs0', users },
  { users },
  { topology: 'sharded', shards: 2, mongoses: 1, users },
  { version: '5.0', replicaSet: 'rs0', users },
];

/** The number of cases after which everything planted is checked. A window of cases also runs if one of them is replayed. */
const perWindow = 10;

/** The server of these cases, and whether it supports transactions. */
export interface DoorSubject {
  readonly options: Served | Planted;
  readonly hasTransactions: boolean;
}

const subjectOf = (epoch: number): DoorSubject => {
  const options = servers[epoch % servers.length]!;
  return { options, hasTransactions: 'topology' in options || options.replicaSet !== undefined };
};

export interface DoorFound extends Failed {
  readonly failed: DoorCase;
}

/** Plays cases on a new server with users. @returns the number of cases, and the first that fails */
export const playDoors = async (
  { options, hasTransactions }: DoorSubject,
  cases: Iterable<DoorCase>,
  goesOn: () => boolean,
): Promise<{ readonly played: number; readonly found: DoorFound | undefined }> => {
  const target = await startTarget(options);
  let played = 0;
  let last: DoorCase | undefined;
  const foundBy = (violation: Violation): DoorFound => ({ violation, frames: [], failed: last! });
  try {
    const vault = await plant(target, hasTransactions);
    const before = (await target.status()).held;
    const watch = await openWatch(target, mostBusy);
    let window: DoorCase[] = [];
    const check = async (): Promise<Violation | undefined> => {
      const violation = await vault.check(window.some(({ person }) => person?.kills));
      window = [];
      return violation;
    };
    for (const one of cases) {
      if (!goesOn()) break;
      last = one;
      played += 1;
      window.push(one);
      let failed: Failed | undefined;
      for (let i = 0; i < repeats; i++) {
        failed = await playDoor(target, vault, watch, one);
        if (failed?.violation.isDelay !== true) break;
      }
      const violation = failed?.violation ?? (window.length === perWindow ? await check() : undefined);
      if (violation !== undefined) return { played, found: { violation, frames: failed?.frames ?? [], failed: one } };
    }
    const changed = last === undefined ? undefined : await check();
    if (changed !== undefined) return { played, found: foundBy(changed) };
    watch.close();
    await vault.close();
    const left = last === undefined ? undefined : await memoryHeld(target, before);
    return { played, found: left && foundBy(left) };
  } finally {
    await target.stop();
  }
};

const casesOf = function* (seed: number, epoch: number): Generator<DoorCase> {
  for (let i = 0; i < perServer; i++) yield doorCase(seed, epoch * perServer + i);
};

/** Plays the cases of a seed until the time is over or one fails. */
export const fuzzDoors = async (
  seed: number,
  milliseconds: number,
): Promise<{ readonly played: number; readonly found: DoorFound | undefined }> => {
  const end = performance.now() + milliseconds;
  let played = 0;
  for (let epoch = 0; performance.now() < end; epoch++) {
    const done = await playDoors(subjectOf(epoch), casesOf(seed, epoch), () => performance.now() < end);
    played += done.played;
    if (done.found !== undefined) return { played, found: done.found };
  }
  return { played, found: undefined };
};

/** Plays the window of a case, up to this case, on a new server. */
export const replayDoor = async (seed: number, number: number): Promise<DoorFound | undefined> => {
  const cases = Array.from({ length: 1 + (number % perWindow) }, (_, i) =>
    doorCase(seed, number - (number % perWindow) + i),
  );
  return (await playDoors(subjectOf(Math.floor(number / perServer)), cases, () => true)).found;
};

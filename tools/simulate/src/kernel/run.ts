import type { Millis } from '@tessera/contracts';
import { createWorld } from '@tessera/sim';
import type { World, WorldOptions } from '@tessera/sim';
import type { Callers } from './callers.js';
import type { Faults } from './faults.js';
import { callsOf } from './plan.js';
import type { Plan, PlannedCall } from './plan.js';
import { createRecord } from './record.js';
import type { Lived, Record } from './record.js';

/** A deployment and a client, with everything that a plan does to them. */
export interface Stage {
  /** The time from which the times of the plan count. Defaults to 0, when the world begins. */
  readonly start?: Millis;
  readonly callers: Callers<PlannedCall>;
  readonly faults: Faults;
  /** Returns a call that must succeed after all faults have ended. */
  last(number: number, timeoutMS: number): PlannedCall;
  /** Closes the client. */
  close(): Promise<void>;
  /** Records what the calls have left behind, and ends the deployment. */
  end(calls: readonly PlannedCall[]): void | Promise<void>;
}

export interface StageOptions extends Pick<WorldOptions, 'hosts'> {
  /** Whether to record the events of commands. */
  readonly commands: boolean;
  /** The longest time from the end of the faults to the end of all calls. */
  readonly patience: number;
}

/** The time after the close of the client in which connections drain late replies, and the last packets arrive. */
const aftermath = 3000;

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/** Runs one plan in a new world. The same plan gives the same history. */
export const liveThrough = async (
  plan: Plan,
  { hosts = [], commands, patience }: StageOptions,
  open: (world: World, record: Record) => Stage | Promise<Stage>,
): Promise<Lived> => {
  const { seed, splitsWrites: splitWrites, settings } = plan;
  const limits = { steps: 400_000, horizon: 600_000, historyLimit: 100_000 };
  const world = createWorld({ turn }, { ...limits, seed, splitWrites, hosts });
  const { clock } = world.runtime;
  const record = createRecord(clock, commands);

  const live = async (): Promise<void> => {
    const stage = await open(world, record);
    const { start = 0, callers, faults } = stage;
    const calls: PlannedCall[] = callsOf(plan);
    const until = (time: number): Promise<void> => clock.sleep(Math.max(0, start + time - clock.now()));
    let closing: Promise<void> | undefined;
    const closeClient = async (): Promise<void> => {
      record.add({ is: 'closing' });
      await stage.close();
      record.add({ is: 'closed' });
    };
    /** Without retryWrites the caller has to retry: the first attempt may reach the previous primary. */
    const succeedAtLast = async (): Promise<void> => {
      for (let tries = settings.retryWrites ? 1 : 3; tries > 0; tries -= 1) {
        const call = stage.last(1000 + tries, settings.serverSelectionTimeoutMS);
        calls.push(call);
        if (await callers.call(call)) return;
      }
    };
    const addLeftovers = (of: string): void => {
      for (const what of world.leftovers()) if (what.includes(of)) record.add({ is: 'leftover', what });
    };

    for (const event of plan.events) {
      await until(event.at);
      if (event.call !== undefined) void callers.call(event.call);
      else if (event.calls !== undefined) void callers.converse(event);
      else {
        record.add({ is: 'happening', happening: event });
        if (event.what === 'closeClient') closing ??= closeClient();
        else faults.happen(event);
      }
    }
    await until(plan.healAt);
    await faults.heal();
    record.add({ is: 'healed' });
    const limit = clock.now() + patience;
    while (callers.busy > 0 && clock.now() < limit) await clock.sleep(100);
    await clock.sleep(1000);
    if (closing === undefined) {
      await succeedAtLast();
      closing = closeClient();
    }
    await closing;
    await clock.sleep(aftermath);
    addLeftovers('end of client');
    await stage.end(calls);
    await clock.sleep(1000);
    addLeftovers('');
  };

  const unhandled = (reason: unknown): void => record.add({ is: 'unhandled', reason });
  process.on('unhandledRejection', unhandled);
  try {
    await world.run(live);
    await turn();
  } catch (error) {
    record.add({ is: 'thrown', error });
  } finally {
    process.off('unhandledRejection', unhandled);
  }
  return { plan, entries: record.entries, packets: world.history };
};

import type { MongoClient } from '@tessera/client';
import type { Millis } from '@tessera/contracts';
import { createChance } from '@tessera/sim';
import { drawFault } from './faults.js';
import type { Fault, FaultName } from './faults.js';
import type { Lane } from './place.js';
import type { Counter, Counters, Idempotent, Strategy } from './strategies.js';

/** The result of one increment. */
export interface Outcome {
  /** The final value of the counter; 1 is correct. */
  readonly counted: number;
  /** Whether the operation succeeded for the application. */
  readonly acknowledged: boolean;
  /** The time until the operation succeeded or failed. */
  readonly spent: Millis;
  /** The number of commands that the operation sent. */
  readonly commands: number;
  /** The wait after each failure until the next try. */
  readonly pauses: readonly Millis[];
}

/** Sets a fail point for the client under test. The control client is not affected. */
const failCommand = async (control: MongoClient, mode: unknown, data: Readonly<Record<string, unknown>>) => {
  await control.db('admin').command({ configureFailPoint: 'failCommand', mode, data: { ...data, appName: 'subject' } });
};

const unauthorized = 13;
const rateLimitExceeded = 462;

const arm = async (fault: Fault, strategy: Strategy, id: string, lane: Lane, control: MongoClient): Promise<void> => {
  const failCommands = ['update'];
  switch (fault.name) {
    case 'transient':
    case 'failover':
    case 'outage': {
      const updates = [{ q: { _id: id }, ...strategy.steps[fault.step] }];
      void lane.cluster
        .intercept('update', { updates }, { at: fault.applied ? 'applied' : 'received' })
        .then(async request => {
          if (fault.name === 'outage') lane.gate.shut();
          if (fault.name === 'failover') await lane.cluster.stepDown();
          request.hangUp();
        });
      return;
    }
    case 'command':
      return failCommand(control, 'alwaysOn', { failCommands, errorCode: unauthorized });
    case 'overload': {
      const errorLabels = ['SystemOverloadedError', 'RetryableError'];
      return failCommand(
        control,
        { times: fault.refusals },
        { failCommands, errorCode: rateLimitExceeded, errorLabels },
      );
    }
  }
};

const disarm = async (fault: Fault, lane: Lane, control: MongoClient): Promise<void> => {
  if (fault.name === 'outage') lane.gate.open();
  if (fault.name === 'command' || fault.name === 'overload')
    await control.db('admin').command({ configureFailPoint: 'failCommand', mode: 'off' });
};

const untilFound = async (client: MongoClient): Promise<void> => {
  while (!(await settled(client.db('admin').command({ ping: 1 }))));
};

const settled = async (operation: Promise<unknown>): Promise<boolean> =>
  operation.then(
    () => true,
    () => false,
  );

/** Runs increments in sequence, each with its own fault. @param from the number of the first increment */
export const runTrials = async (
  lane: Lane,
  strategy: Strategy,
  name: FaultName,
  seed: number,
  from: number,
  count: number,
): Promise<readonly Outcome[]> => {
  const control = lane.newClient(strategy.policy, { serverSelectionTimeoutMS: 30_000 });
  const client = lane.newClient(strategy.policy, {
    retryWrites: strategy.retryWrites,
    appName: 'subject',
    monitorCommands: true,
  });
  let commands = 0;
  let pauses: Millis[] = [];
  let failedAt: Millis | undefined;
  client.on('commandStarted', ({ commandName }) => {
    if (commandName !== 'update') return;
    commands += 1;
    if (failedAt !== undefined) pauses.push(lane.clock.now() - failedAt);
    failedAt = undefined;
  });
  client.on('commandFailed', ({ commandName }) => {
    if (commandName === 'update') failedAt = lane.clock.now();
  });
  const counters: Counters = client.db('trial').collection<Counter>('counters');
  await untilFound(client);
  await untilFound(control);
  const results: Omit<Outcome, 'counted'>[] = [];
  for (let number = from; number < from + count; number += 1) {
    const id = `day ${String(number)}`;
    const fault = drawFault(
      name,
      strategy.steps.length,
      createChance(seed, `${strategy.name}/${name}/${String(number)}`),
    );
    await arm(fault, strategy, id, lane, control);
    commands = 0;
    pauses = [];
    failedAt = undefined;
    const began = lane.clock.now();
    const acknowledged = await settled(strategy.count(counters, id));
    results.push({ acknowledged, spent: lane.clock.now() - began, commands, pauses });
    await disarm(fault, lane, control);
    // Wait until the client can reach the server again.
    await untilFound(client);
  }
  await strategy.cleanUp?.(counters);
  const kept = new Map((await counters.find().toArray()).map(({ _id, counter = 0 }) => [_id, counter]));
  await client.close();
  await control.close();
  return results.map((rest, index) => ({ counted: kept.get(`day ${String(from + index)}`) ?? 0, ...rest }));
};

export interface IdempotentOutcome {
  readonly isRight: boolean;
  readonly acknowledged: boolean;
}

/** Runs idempotent operations in sequence, each under a transient network error. */
export const runIdempotents = async (
  lane: Lane,
  { name, command, before, after, run }: Idempotent,
  { policy }: Strategy,
  seed: number,
  from: number,
  count: number,
): Promise<readonly IdempotentOutcome[]> => {
  const client = lane.newClient(policy, { retryWrites: false, retryReads: false });
  const counters: Counters = client.db('trial').collection<Counter>('counters');
  const ids = Array.from({ length: count }, (_, index) => `day ${String(from + index)}`);
  await untilFound(client);
  if (before) await counters.insertMany(ids.map(_id => ({ _id, counter: 1 })));
  const acknowledged: boolean[] = [];
  for (const [index, id] of ids.entries()) {
    const { applied } = drawFault('transient', 1, createChance(seed, `${name}/${String(from + index)}`));
    const at = applied ? 'applied' : 'received';
    void lane.cluster.intercept(command, {}, { at }).then(request => request.hangUp());
    acknowledged.push(await settled(run(counters, id)));
  }
  const kept = new Set((await counters.find().toArray()).map(({ _id }) => _id));
  await client.close();
  return ids.map((id, index) => ({ isRight: kept.has(id) === after, acknowledged: acknowledged[index]! }));
};

import { getEventListeners } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { compileFunction } from 'node:vm';
import { isOfProgram, judgeError, judgeResult, mustSucceed } from './judge.js';
import type { Argument, Call, Program, Step } from './program.js';
import { expressionOf, iteratorOf } from './program.js';
import { late, within } from '../within.js';
import type { Place, Question, Verdict, Violation } from './verdict.js';

/** The part of a driver that programs use. Both this driver and npm `mongodb` have it. */
export interface Driver {
  readonly MongoClient: new (uri: string, options: object) => Client;
  readonly GridFSBucket: new (db: object, options?: object) => object;
  readonly MongoError: abstract new (...args: never[]) => Error & { readonly errorLabels: string[] };
}

/** The used fields of command events. */
interface CommandEvent {
  readonly requestId: number;
  readonly command?: { readonly lsid?: { readonly id: object } };
  readonly failure?: Error;
}

interface Client {
  on(event: string, listener: (event: CommandEvent) => void): unknown;
  db(name: string): { collection(name: string): object };
  close(): Promise<void>;
}

/** The environment of a program. */
export interface Running {
  readonly place: Place;
  /** The time limit of a call, in milliseconds. */
  readonly deadline: number;
  readonly ask: (question: Question) => Promise<readonly string[]>;
  /** Called when a listener of the program throws. */
  readonly thrown: () => void;
}

const closeDeadline = 5000;

const fail = (): never => {
  throw new Error('rough');
};

const throwing = (): object => new Proxy({}, { get: fail, ownKeys: fail });

const circle = (): object => {
  const value: { self?: object } = {};
  value.self = value;
  return value;
};

/**
 * Collects the sessions of commands without a reply. The server may keep them: Driver Sessions, "Server Session Pool".
 */
const countDirty = (client: Client): ReadonlySet<string> => {
  const dirty = new Set<string>();
  const sessions = new Map<number, string>();
  client.on('commandStarted', ({ requestId, command }) => {
    if (command?.lsid !== undefined) sessions.set(requestId, JSON.stringify(command.lsid));
  });
  client.on('commandFailed', ({ requestId, failure }) => {
    const session = sessions.get(requestId);
    if (session !== undefined && failure?.name !== 'MongoServerError') dirty.add(session);
  });
  return dirty;
};

interface Pending {
  readonly promise: Promise<unknown>;
  readonly step: Call;
  readonly index: number;
}

type Receiver = Record<string | symbol, ((...args: unknown[]) => unknown) | undefined>;

/** A running program. */
interface Run extends Running {
  readonly driver: Driver;
  readonly program: Program;
  readonly violations: Violation[];
  /** The outcome of each step. */
  readonly outcomes: string[];
  readonly controllers: readonly AbortController[];
  readonly signals: readonly AbortSignal[];
  /** The variables of the program. */
  readonly v: Record<string, unknown>;
  /** The pending calls. */
  readonly pending: Pending[];
  /** The streams that the program aborted, except streams that rejected the abort because they were ending. */
  readonly aborted: Set<object>;
}

const begin = (driver: Driver, program: Program, running: Running): Run => {
  const controllers = [new AbortController(), new AbortController()];
  return {
    ...running,
    driver,
    program,
    violations: [],
    outcomes: program.steps.map(() => 'skipped'),
    controllers,
    signals: controllers.map(({ signal }) => signal),
    v: {},
    pending: [],
    aborted: new Set(),
  };
};

/** Evaluates an expression, which may use the variables `v` and the object `rough`. */
const valueOf = ({ v, signals, thrown }: Run, argument: Argument): unknown => {
  const listener = (): never => {
    thrown();
    throw new Error('rough listener');
  };
  const rough = { throwing, circle, listener, signal: (i: number) => signals[i] };
  const evaluate = compileFunction(`return ${expressionOf(argument)};`, ['v', 'rough']) as (
    ...args: unknown[]
  ) => unknown;
  return evaluate(v, rough);
};

/** Returns whether commands may fail at any time. */
const isFaulty = ({ fault, garbage }: Program): boolean => fault !== undefined || garbage !== undefined;

const reject = (run: Run, error: unknown, step: Call, index: number) => {
  const { program, v, outcomes, violations, signals, driver } = run;
  // A stream that is ending rejects an abort, and may fail.
  if (step.method === 'abort' && String(error).includes('already completed')) run.aborted.delete(v[step.on] as object);
  outcomes[index] = error instanceof Error ? error.name : typeof error;
  violations.push(...judgeError(error, step, signals, driver.MongoError));
  if (!mustSucceed(program, step)) return;
  violations.push({ kind: 'refused', what: `${step.on}.${step.method}: ${(error as Error).stack ?? ''}` });
};

const settle = async (run: Run, { promise, step, index }: Pending, limit: number): Promise<void> => {
  const { v, outcomes, violations } = run;
  try {
    const result = await within(promise, limit);
    outcomes[index] = result === late ? 'hang' : 'ok';
    if (result === late) violations.push({ kind: 'hang', what: `${step.on}.${step.method} did not settle` });
    else v[step.as] = result;
    violations.push(...judgeResult(result, step));
  } catch (error) {
    reject(run, error, step, index);
  }
};

/** Stores the result of a call, and waits for its promise if the program awaits it. */
const follow = async (run: Run, result: unknown, step: Call, index: number): Promise<void> => {
  const { program, v, outcomes, violations, pending, aborted, deadline } = run;
  outcomes[index] = 'ok';
  v[step.as] = result;
  if (result instanceof Readable) result.on('error', () => undefined);
  if (result instanceof Writable)
    result.on('error', error => {
      // A stream that the program aborted must not emit errors.
      if (!aborted.has(result) || isFaulty(program)) return;
      violations.push({ kind: 'unhandled', what: `error of an aborted stream: ${error.stack ?? ''}` });
    });
  if (!(result instanceof Promise)) return;
  const call: Pending = { promise: result, step, index };
  if (step.wait === 'now') return settle(run, call, deadline);
  result.catch(() => undefined);
  pending.push(call);
};

const performCall = async (run: Run, step: Call, index: number): Promise<void> => {
  const receiver = run.v[step.on] as Receiver | null | undefined;
  const method = receiver?.[step.method === iteratorOf ? Symbol.asyncIterator : step.method];
  if (typeof receiver !== 'object' || receiver === null || typeof method !== 'function') return;
  let args: unknown[];
  try {
    args = step.arguments.map(argument => valueOf(run, argument));
  } catch {
    return;
  }
  if (step.method === 'abort') run.aborted.add(receiver);
  try {
    await follow(run, method.apply(receiver, args), step, index);
  } catch (error) {
    reject(run, error, step, index);
  }
};

const performStep = async (run: Run, step: Step, index: number): Promise<unknown> => {
  switch (step.kind) {
    case 'abort':
      return run.controllers[step.signal]!.abort();
    case 'sleep':
      return sleep(step.milliseconds);
    case 'fault':
      return run.ask({ fault: step.fault });
    case 'no cursors': {
      // A failed command may leave its cursor open until the client is closed.
      if (isFaulty(run.program)) return undefined;
      const left = await run.ask('cursors');
      return run.violations.push(...left.map(what => ({ kind: 'server' as const, what: `${what} before close` })));
    }
    case 'call':
      return performCall(run, step, index);
  }
};

const openClient = (run: Run): Client => {
  const { driver, program, place, v } = run;
  const client = new driver.MongoClient(place.uri, {
    serverSelectionTimeoutMS: 1000,
    // The next heartbeat discovers a server again that a fault marked Unknown.
    heartbeatFrequencyMS: 500,
    ...place.options,
    ...(valueOf(run, program.options) as object),
  });
  const db = client.db('rough');
  Object.assign(v, { client, db, coll: db.collection('coll'), bucket: new driver.GridFSBucket(db) });
  return client;
};

/** Settles all calls except those with `wait: 'close'`, closes the client, and then settles these calls. */
const close = async (run: Run, client: Client): Promise<void> => {
  const { pending, violations, signals, deadline } = run;
  for (const call of pending) if (call.step.wait === 'later') await settle(run, call, deadline);
  const closed = await within(client.close(), closeDeadline).catch((error: unknown) => error);
  if (closed === late) violations.push({ kind: 'hang', what: 'client.close did not settle' });
  else if (closed instanceof Error && !isOfProgram(closed))
    violations.push({ kind: 'error class', what: `client.close: ${closed.stack ?? ''}` });
  for (const call of pending) if (call.step.wait === 'close') await settle(run, call, 2000);
  for (const signal of signals) {
    const left = getEventListeners(signal, 'abort').length;
    if (left > 0) violations.push({ kind: 'listener', what: `${left} listeners on a signal after close` });
  }
};

/** Runs a program with one driver. */
export const interpret = async (driver: Driver, program: Program, running: Running): Promise<Verdict> => {
  const run = begin(driver, program, running);
  const client = openClient(run);
  let out = 0;
  client.on('connectionCheckedOut', () => (out += 1));
  client.on('connectionCheckedIn', () => (out -= 1));
  const dirty = program.options['monitorCommands'] === 'true' ? countDirty(client) : undefined;
  for (const [index, step] of program.steps.entries()) await performStep(run, step, index);
  await close(run, client);
  const { violations, outcomes } = run;
  if (out !== 0) violations.push({ kind: 'checkouts', what: `${out} connections were not checked in` });
  return { violations, outcomes, ...(dirty !== undefined && { dirtySessions: dirty.size }) };
};

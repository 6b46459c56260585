import { getEventListeners } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { compileFunction } from 'node:vm';
import type { Argument, Call, Program, Step } from './program.js';
import { expressionOf } from './program.js';
import type { Place, Verdict, Violation } from './verdict.js';

/** The part of a driver that programs need: of this driver, or of npm `mongodb`. */
export interface Driver {
  readonly MongoClient: new (uri: string, options: object) => Client;
  readonly GridFSBucket: new (db: object, options?: object) => object;
  readonly MongoError: abstract new (...args: never[]) => Error & { readonly errorLabels: string[] };
}

interface Client {
  on(event: string, listener: () => void): unknown;
  db(name: string): { collection(name: string): object };
  close(): Promise<void>;
}

const callDeadline = 5000;
/** The file of the calls in stacks. */
const own = 'interpret.js';
const late = Symbol('late');

/** The promise's value or error, or `late`. */
const within = async (promise: Promise<unknown>, milliseconds: number): Promise<unknown> => {
  const stop = new AbortController();
  try {
    return await Promise.race([promise, sleep(milliseconds, late, { signal: stop.signal })]);
  } finally {
    stop.abort();
  }
};

const throwing = (): object =>
  new Proxy(
    {},
    {
      get: () => {
        throw new Error('rough');
      },
      ownKeys: () => {
        throw new Error('rough');
      },
    },
  );

const circle = (): object => {
  const value: { self?: object } = {};
  value.self = value;
  return value;
};

interface Pending {
  readonly promise: Promise<unknown>;
  readonly step: Call;
  readonly index: number;
}

/** Runs programs with one driver. */
export const createInterpreter = (driver: Driver): ((program: Program, place: Place) => Promise<Verdict>) => {
  const judgeError = (error: unknown, step: Call, signals: readonly AbortSignal[]): Violation[] => {
    const what = `${step.on}.${step.method}: `;
    if (signals.some(({ reason }) => reason === error)) return [];
    if (!(error instanceof Error)) return [{ kind: 'error class', what: `${what}threw ${typeof error}` }];
    if (error.message.startsWith('rough')) return [];
    const frames = (error.stack ?? '').split('\n').filter(line => line.startsWith('    at '));
    if (frames[0]?.includes('node:internal/streams') === true) return [];
    if (!(error instanceof driver.MongoError) && !error.name.startsWith('BSON'))
      return [{ kind: 'error class', what: `${what}${error.stack ?? error.message}` }];
    const isOwn = frames.some(frame => frame.includes(own));
    return isOwn || step.wait !== 'now'
      ? []
      : [{ kind: 'error place', what: `${what}${error.stack ?? error.message}` }];
  };

  return async (program, place) => {
    const violations: Violation[] = [];
    const outcomes: string[] = program.steps.map(() => 'skipped');
    const controllers = [new AbortController(), new AbortController()];
    const signals = controllers.map(({ signal }) => signal);
    const v: Record<string, unknown> = {};
    const rough = { throwing, circle, signal: (i: number) => signals[i] };
    const pending: Pending[] = [];
    const value = (argument: Argument): unknown =>
      (compileFunction(`return ${expressionOf(argument)};`, ['v', 'rough']) as (...args: unknown[]) => unknown)(
        v,
        rough,
      );

    const fail = (error: unknown, step: Call, index: number): void => {
      outcomes[index] = error instanceof Error ? error.name : typeof error;
      violations.push(...judgeError(error, step, signals));
    };
    const settle = async ({ promise, step, index }: Pending, deadline: number): Promise<void> => {
      try {
        const result = await within(promise, deadline);
        outcomes[index] = result === late ? 'hang' : 'ok';
        if (result === late) violations.push({ kind: 'hang', what: `${step.on}.${step.method} did not settle` });
        else v[step.as] = result;
      } catch (error) {
        fail(error, step, index);
      }
    };
    const perform = async (step: Call, index: number): Promise<void> => {
      const receiver = v[step.on] as Record<string, ((...args: unknown[]) => unknown) | undefined> | undefined;
      if (typeof receiver !== 'object' || typeof receiver[step.method] !== 'function') return;
      let args: unknown[];
      try {
        args = step.arguments.map(value);
      } catch {
        return;
      }
      try {
        const result = receiver[step.method]!(...args);
        outcomes[index] = 'ok';
        v[step.as] = result;
        if (result instanceof Readable || result instanceof Writable) result.on('error', () => undefined);
        if (!(result instanceof Promise)) return;
        const call: Pending = { promise: result, step, index };
        if (step.wait === 'now') await settle(call, callDeadline);
        else {
          result.catch(() => undefined);
          pending.push(call);
        }
      } catch (error) {
        fail(error, step, index);
      }
    };
    const run = async (step: Step, index: number): Promise<void> => {
      if (step.kind === 'abort') controllers[step.signal]!.abort();
      else if (step.kind === 'sleep') await sleep(step.milliseconds);
      else await perform(step, index);
    };

    const settings = { serverSelectionTimeoutMS: 1000, ...place.options, ...(value(program.options) as object) };
    const client = new driver.MongoClient(place.uri, settings);
    let out = 0;
    client.on('connectionCheckedOut', () => (out += 1));
    client.on('connectionCheckedIn', () => (out -= 1));
    const db = client.db('rough');
    Object.assign(v, { client, db, coll: db.collection('coll'), bucket: new driver.GridFSBucket(db) });

    for (const [index, step] of program.steps.entries()) await run(step, index);
    for (const call of pending) if (call.step.wait === 'later') await settle(call, callDeadline);
    const closed = await within(client.close(), callDeadline).catch((error: unknown) => error);
    if (closed === late) violations.push({ kind: 'hang', what: 'client.close did not settle' });
    else if (closed instanceof Error && !closed.message.startsWith('rough'))
      violations.push({ kind: 'error class', what: `client.close: ${closed.stack ?? ''}` });
    for (const call of pending) if (call.step.wait === 'close') await settle(call, 2000);

    if (out !== 0) violations.push({ kind: 'checkouts', what: `${out} connections were not checked in` });
    for (const signal of signals) {
      const left = getEventListeners(signal, 'abort').length;
      if (left > 0) violations.push({ kind: 'listener', what: `${left} listeners on a signal after close` });
    }
    return { violations, outcomes };
  };
};

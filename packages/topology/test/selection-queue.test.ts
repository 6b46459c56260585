import { Cancellation, MongoError } from '@tessera/contracts';
import type { Address, Request, Server } from '@tessera/contracts';
import { describe, expect, test } from 'vitest';
import { createSelectionQueue } from '../src/selection/selection-queue.js';
import type { SelectionOutcome, SelectionQueue } from '../src/selection/selection-queue.js';
import { a, server } from './described.js';
import { world } from './scripted.js';

const one: Server = { description: server(a, 'Mongos'), pool: undefined as never };

interface Scene {
  readonly queue: SelectionQueue;
  /** The outcome of the next attempt to select. */
  found: SelectionOutcome;
  readonly looked: (readonly [number, Address | undefined])[];
  /** The requests that stopped waiting, each with its outcome. */
  readonly settled: (readonly [number, string])[];
  readonly listening: () => number;
  request(id: number, aborting?: Cancellation): Request<unknown>;
  /** Waits, and resolves to the time and the outcome. */
  wait(id: number, options?: { at?: Address; deadline?: number; aborting?: Cancellation }): Promise<string>;
  sleep(duration: number): Promise<void>;
}

const outcomeOf = (outcome: Server | MongoError): string =>
  MongoError.is(outcome) ? outcome.message : outcome.description.address;

/** Runs in a world of its own, in which no timer and no listener may be left. */
const scene = (program: (scene: Scene) => Promise<void>) => async () => {
  const { runtime, run, leftovers } = world();
  const { clock } = runtime;
  let listening = 0;
  const looked: Scene['looked'][number][] = [];
  const settled: Scene['settled'][number][] = [];
  const request: Scene['request'] = (id, aborting) =>
    ({
      id,
      signal: aborting && {
        addEventListener: (type: 'abort', listener: () => void) => {
          if (type === 'abort') listening += 1;
          aborting.addEventListener(type, listener);
        },
        removeEventListener: (type: 'abort', listener: () => void) => {
          if (type === 'abort') listening -= 1;
          aborting.removeEventListener(type, listener);
        },
      },
    }) as Request<unknown>;
  const made: Scene = {
    found: undefined,
    queue: createSelectionQueue({
      clock,
      trySelect: ({ id }, at) => {
        looked.push([id, at]);
        return made.found;
      },
      expired: ({ id }, at, waited) => new MongoError('selection', `${id} at ${String(at)} after ${waited}`),
      aborted: ({ id }) => new MongoError('aborted', `${id} aborted`),
      settled: ({ id }, outcome) => settled.push([id, outcomeOf(outcome)]),
    }),
    looked,
    settled,
    listening: () => listening,
    request,
    wait: async (id, { at, deadline = Infinity, aborting } = {}) => {
      const outcome = await made.queue.wait(request(id, aborting), at, deadline).then(
        got => `got ${got.description.address}`,
        (error: unknown) => outcomeOf(error as MongoError),
      );
      return `${outcome}, at ${clock.now()}`;
    },
    sleep: duration => clock.sleep(duration),
  };
  await run(() => program(made));
  expect([leftovers(), listening]).toEqual([[], 0]);
};

describe('"Server Selection Algorithm", steps 9 to 11: a waiting request', () => {
  test(
    'is retried whenever the servers change, in order of arrival, and keeps waiting',
    scene(async ({ queue, wait, settled, looked, sleep }) => {
      const waiting = [wait(1, { deadline: 100 }), wait(2, { at: a })];
      await sleep(5);
      expect([queue.serve(), looked, settled]).toEqual([
        true,
        [
          [1, undefined],
          [2, a],
        ],
        [],
      ]);
      queue.failAll(() => new MongoError('closed', 'closed'));
      expect(await Promise.all(waiting)).toEqual(['closed, at 5', 'closed, at 5']);
    }),
  );

  test(
    'gets a server as soon as one is suitable; then no request waits',
    scene(async made => {
      const waiting = [made.wait(1, { deadline: 100 }), made.wait(2)];
      await made.sleep(5);
      made.found = one;
      expect(made.queue.serve()).toBe(false);
      expect(await Promise.all(waiting)).toEqual([`got ${a}, at 5`, `got ${a}, at 5`]);
      expect(made.settled).toEqual([
        [1, a],
        [2, a],
      ]);
      expect([made.queue.serve(), made.looked.length]).toEqual([false, 2]);
    }),
  );

  test(
    "rejects with the error of the application's server selector, which delays no other request",
    scene(async made => {
      const faulty = new TypeError('the selector failed');
      const waiting = [1, 2].map(id => made.queue.wait(made.request(id), undefined, Infinity));
      Object.defineProperty(made, 'found', {
        get: () => {
          throw faulty;
        },
      });
      expect(made.queue.serve()).toBe(false);
      expect(await Promise.allSettled(waiting)).toEqual([1, 2].map(() => ({ status: 'rejected', reason: faulty })));
    }),
  );

  test(
    'fails at once when no server will become suitable',
    scene(async made => {
      const waiting = made.wait(1);
      made.found = new MongoError('selection', 'it left');
      expect([made.queue.serve(), await waiting]).toEqual([false, 'it left, at 0']);
    }),
  );

  test(
    'fails at its deadline with the time it waited',
    scene(async made => {
      await made.sleep(10);
      const waiting = made.wait(1, { deadline: 40, at: a });
      expect(await waiting).toBe(`1 at ${a} after 30, at 40`);
      expect([made.settled, made.queue.serve()]).toEqual([[[1, `1 at ${a} after 30`]], false]);
    }),
  );

  test(
    'fails at once if its deadline has passed',
    scene(async made => {
      await made.sleep(10);
      expect(await made.wait(1, { deadline: 4 })).toBe('1 at undefined after 0, at 10');
    }),
  );

  test(
    'fails when its signal aborts; then its timer and its listener are gone',
    scene(async made => {
      const aborting = new Cancellation();
      const waiting = made.wait(1, { deadline: 1000, aborting });
      await made.sleep(5);
      expect(made.listening()).toBe(1);
      aborting.abort('enough');
      expect(await waiting).toBe('1 aborted, at 5');
      expect([made.listening(), made.queue.serve()]).toEqual([0, false]);
    }),
  );

  test(
    'ignores its signal once it has a server',
    scene(async made => {
      const aborting = new Cancellation();
      const waiting = made.wait(1, { deadline: 1000, aborting });
      made.found = one;
      made.queue.serve();
      aborting.abort('too late');
      expect([await waiting, made.settled]).toEqual([`got ${a}, at 0`, [[1, a]]]);
    }),
  );

  test(
    'fails with an error of its own when the client is closed',
    scene(async made => {
      const errors: unknown[] = [];
      for (const id of [1, 2])
        made.queue.wait(made.request(id), undefined, Infinity).catch(error => errors.push(error));
      made.queue.failAll(() => new MongoError('closed', 'closed'));
      await made.sleep(0);
      expect(errors).toHaveLength(2);
      expect(errors[0]).not.toBe(errors[1]);
      expect(made.queue.serve()).toBe(false);
    }),
  );

  test(
    'fails alone if its signal throws when a listener is added; a signal that throws when a listener is removed delays nothing',
    scene(async made => {
      const fail = (): never => {
        throw new RangeError('thrown by the signal');
      };
      const working = { aborted: false, reason: undefined, addEventListener: () => {}, removeEventListener: () => {} };
      const waitWith = (id: number, more: object): Promise<Server> =>
        made.queue.wait({ ...made.request(id), signal: { ...working, ...more } }, undefined, 100);
      await expect(waitWith(1, { addEventListener: fail })).rejects.toThrow(RangeError);
      const waiting = [waitWith(2, { removeEventListener: fail }), waitWith(3, {})];
      made.found = one;
      expect(made.queue.serve()).toBe(false);
      expect(await Promise.all(waiting)).toEqual([one, one]);
    }),
  );
});

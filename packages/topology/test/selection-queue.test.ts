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
  /** What a look at the servers gives. */
  found: SelectionOutcome;
  readonly looked: (readonly [number, Address | undefined])[];
  /** Who waits no more, and how that ended. */
  readonly settled: (readonly [number, string])[];
  readonly listening: () => number;
  request(id: number, aborting?: Cancellation): Request<unknown>;
  /** Waits, and tells when and how it ended. */
  wait(id: number, options?: { at?: Address; deadline?: number; aborting?: Cancellation }): Promise<string>;
  sleep(duration: number): Promise<void>;
}

const outcomeOf = (outcome: Server | MongoError): string =>
  MongoError.is(outcome) ? outcome.message : outcome.description.address;

/** A world of its own, in which no timer and no listener may be left. */
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

describe('"Server Selection Algorithm", steps 9 to 11: who waits for a server', () => {
  test(
    'is looked after whenever the servers change, in the order in which they came, and goes on waiting',
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
    'gets a server as soon as there is one; then nobody waits any more',
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
    'fails at once if there will be none',
    scene(async made => {
      const waiting = made.wait(1);
      made.found = new MongoError('selection', 'it left');
      expect([made.queue.serve(), await waiting]).toEqual([false, 'it left, at 0']);
    }),
  );

  test(
    'fails at its deadline, and is told how long it waited',
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
    'is heard no more by a signal once it has a server',
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
    'with all others, has an error of its own when the client is closed',
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
    'a signal that throws when it takes a listener fails its own request; one that throws when it forgets a listener keeps nobody',
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

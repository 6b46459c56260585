import { MongoError } from '@tessera/contracts';
import type { Lease, Timer } from '@tessera/contracts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PooledLease } from '../src/lease.js';
import { Waiter, WaitQueue } from '../src/wait-queue.js';

const lease = {} as Lease;

/** Creates a waiter and records how its wait ends. */
const waiting = (since = 0) => {
  const outcomes: unknown[] = [];
  const waiter = new Waiter(
    since,
    Infinity,
    got => outcomes.push(got),
    error => outcomes.push(error),
  );
  return { waiter, outcomes };
};
const waiters = (count: number): readonly Waiter[] =>
  Array.from({ length: count }, (_, index) => waiting(index).waiter);
const drain = (queue: WaitQueue): readonly number[] => {
  const order: number[] = [];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) order.push(next.since);
  return order;
};
/** Removes a waiter as the pool does when its operation stops waiting. */
const giveUp = (queue: WaitQueue, waiter: Waiter | undefined): void => {
  waiter?.fail(new MongoError('timeout', 'late'));
  queue.left();
};

describe('CMAP "WaitQueue": first in, first out', () => {
  test('shift returns undefined for an empty queue', () => {
    const queue = new WaitQueue();
    expect([queue.length, queue.shift(), queue.length]).toEqual([0, undefined, 0]);
  });

  test('grows with the number of waiters', () => {
    const queue = new WaitQueue();
    for (const waiter of waiters(100)) queue.push(waiter);
    expect(queue.length).toBe(100);
    expect(drain(queue)).toEqual(Array.from({ length: 100 }, (_, index) => index));
    expect(queue.length).toBe(0);
  });

  test('keeps the order while waiters leave at the head and others enter', () => {
    const queue = new WaitQueue();
    const order: (number | undefined)[] = [];
    for (const [index, waiter] of waiters(60).entries()) {
      queue.push(waiter);
      if (index % 4 !== 0) order.push(queue.shift()?.since);
    }
    expect(queue.length).toBe(15);
    expect([...order, ...drain(queue)]).toEqual(Array.from({ length: 60 }, (_, index) => index));
  });

  test('does not count a waiter that has left, and skips it', () => {
    const queue = new WaitQueue();
    const all = waiters(5);
    for (const waiter of all) queue.push(waiter);
    for (const index of [0, 2, 4]) giveUp(queue, all[index]);
    expect(queue.length).toBe(2);
    expect(drain(queue)).toEqual([1, 3]);
    expect(queue.length).toBe(0);
  });

  test('reuses the places of waiters that have left', () => {
    const queue = new WaitQueue();
    const stayed: number[] = [];
    for (const [index, waiter] of waiters(1000).entries()) {
      queue.push(waiter);
      if (index % 100 === 0) stayed.push(index);
      else giveUp(queue, waiter);
    }
    expect(queue.length).toBe(10);
    expect(drain(queue)).toEqual(stayed);
  });

  test('keeps the order and length for any sequence of pushes, shifts and departures', () => {
    const step = fc.oneof(
      { weight: 3, arbitrary: fc.constant('push' as const) },
      fc.constant('shift' as const),
      fc.nat({ max: 40 }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), steps => {
        const queue = new WaitQueue();
        const model: Waiter[] = [];
        for (const [since, what] of steps.entries()) {
          if (what === 'push') {
            const { waiter } = waiting(since);
            queue.push(waiter);
            model.push(waiter);
          } else if (what === 'shift') {
            expect(queue.shift()).toBe(model.shift());
          } else if (model.length > 0) {
            giveUp(queue, model.splice(what % model.length, 1)[0]);
          }
          expect(queue.length).toBe(model.length);
        }
        expect(drain(queue)).toEqual(model.map(waiter => waiter.since));
      }),
    );
  });
});

describe('a waiter', () => {
  const timer = (): Timer & { readonly cancelled: number } => {
    const made = { cancelled: 0, cancel: () => void (made.cancelled += 1) };
    return made;
  };
  const signal = () => {
    const listeners = new Set<() => void>();
    return {
      aborted: false,
      reason: undefined,
      listeners,
      addEventListener: (_: 'abort', listener: () => void) => void listeners.add(listener),
      removeEventListener: (_: 'abort', listener: () => void) => void listeners.delete(listener),
    };
  };

  test.each([
    ['gets a connection', (waiter: Waiter) => waiter.fulfil(lease), [lease]],
    ['fails', (waiter: Waiter) => waiter.fail(new MongoError('pool', 'no')), [new MongoError('pool', 'no')]],
    ['can be settled by the pool only', (waiter: Waiter) => waiter.unwatch(), []],
  ] as const)('%s: its time limit and its signal end nothing any more', (_, end, outcome) => {
    const { waiter, outcomes } = waiting();
    const [limit, ending] = [timer(), signal()];
    const clock = { now: () => 3, startTimer: () => limit };
    waiter.watch({ clock, deadline: 5, signal: ending }, () => undefined);
    expect([waiter.settled, limit.cancelled, ending.listeners.size]).toEqual([false, 0, 1]);
    end(waiter);
    expect([outcomes, limit.cancelled, ending.listeners.size]).toEqual([outcome, 1, 0]);
    expect(waiter.settled).toBe(outcome.length > 0);
  });

  test('without a deadline and signal has nothing to watch', () => {
    const { waiter, outcomes } = waiting();
    const fail = (): never => {
      throw new Error('there is no limit');
    };
    waiter.watch({ clock: { now: fail, startTimer: fail }, deadline: Infinity }, fail);
    waiter.fulfil(lease);
    expect(outcomes).toEqual([lease]);
  });
});

describe('a pooled connection', () => {
  test('starts pending without a holder; hold sets the holder, and release returns the connection', () => {
    const given: PooledLease[] = [];
    const pooled = new PooledLease(3, 2, 7, back => given.push(back));
    const { id, generation, createdAt, state, heldBy, idleSince, interrupted, opened, serviceId } = pooled;
    expect({ id, generation, createdAt, state, heldBy, idleSince, interrupted, opened, serviceId }).toEqual({
      ...{ id: 3, generation: 2, createdAt: 7, state: 'pending', heldBy: undefined, idleSince: 0, interrupted: false },
      ...{ opened: undefined, serviceId: undefined },
    });
    pooled.hold('cursor');
    pooled.release();
    expect([pooled.heldBy, given]).toEqual(['cursor', [pooled]]);
  });
});

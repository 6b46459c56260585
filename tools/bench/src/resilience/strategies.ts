import { MongoNetworkError, MongoServerError } from '@tessera/client';
import type { Collection } from '@tessera/client';
import type { RetryPolicy } from '@tessera/contracts';
import { createRetryPolicy, noRetries, tokenBucket } from '@tessera/retry';
import { ObjectId } from 'bson';
import { faultNames } from './faults.js';
import type { FaultName } from './faults.js';

/** One event is to be counted: the counter of a day. */
export interface Counter {
  readonly _id: string;
  readonly counter?: number;
  /** Increments that were announced and not done yet. */
  readonly pending?: readonly ObjectId[];
}

export type Counters = Collection<Counter>;

/** What becomes of an increment, most serious first; `adds load`: retries come at once, which is what overloads servers. */
export const verdicts = ['may overcount', 'may undercount', 'wastes time', 'adds load', 'correct'] as const;
export type Verdict = (typeof verdicts)[number];

/** One way to make an increment although something goes wrong. */
export interface Strategy {
  readonly name: string;
  /** In a few words, how it is done. */
  readonly how: string;
  /** What the driver does by itself. */
  readonly policy: () => RetryPolicy;
  readonly retryWrites: boolean;
  /** The updates that it takes when nothing goes wrong, as the server sees their statements. */
  readonly steps: readonly Readonly<Record<string, unknown>>[];
  count(counters: Counters, id: string): Promise<void>;
  /** At night, when nobody counts any more. */
  cleanUp?(counters: Counters): Promise<void>;
  /** What is to be expected of it. */
  readonly expected: Readonly<Record<FaultName, Verdict>>;
}

const increment = async (counters: Counters, id: string): Promise<void> => {
  await counters.updateOne({ _id: id }, { $inc: { counter: 1 } }, { upsert: true });
};

const isNetworkError = (error: unknown): boolean => error instanceof MongoNetworkError;

/** Once more after the loss of a connection, and after nothing else. */
const onceMore = async (operation: () => Promise<unknown>): Promise<void> => {
  try {
    await operation();
  } catch (error) {
    if (!isNetworkError(error)) throw error;
    await operation();
  }
};

const often = 5;

const untilItWorks = async (operation: () => Promise<void>): Promise<void> => {
  for (let left = often - 1; ; left -= 1) {
    try {
      return await operation();
    } catch (error) {
      if (left === 0) throw error;
    }
  }
};

/** The increment in two steps, each of which may be done twice without harm. */
const announceAndCount = async (counters: Counters, id: string): Promise<void> => {
  const token = new ObjectId();
  await onceMore(() => counters.updateOne({ _id: id }, { $addToSet: { pending: token } }, { upsert: true }));
  await onceMore(() =>
    counters.updateOne({ _id: id, pending: token }, { $pull: { pending: token }, $inc: { counter: 1 } }),
  );
};

/** Counts what was announced and never counted: tokens are left behind when an outage comes between the two steps. */
const countAnnounced = async (counters: Counters): Promise<void> => {
  const left = counters.aggregate<{ _id: string; counter: number }>([
    { $match: { 'pending.0': { $exists: true } } },
    { $project: { counter: { $add: [{ $ifNull: ['$counter', 0] }, { $size: '$pending' }] } } },
  ]);
  for await (const { _id, counter } of left) await counters.updateOne({ _id }, { $set: { counter, pending: [] } });
};

const plain = [{ u: { $inc: { counter: 1 } } }];
const byApplication = { policy: noRetries, retryWrites: false, steps: plain } as const;
const byDriver = { retryWrites: true, steps: plain, count: increment } as const;

const correct = Object.fromEntries(faultNames.map(name => [name, 'correct'])) as Strategy['expected'];

/** The four ways of the applications of old, and what a driver does for them today. */
export const strategies: readonly Strategy[] = [
  {
    ...byApplication,
    name: "don't retry",
    how: 'one try',
    count: increment,
    expected: { ...correct, transient: 'may undercount', failover: 'may undercount', overload: 'may undercount' },
  },
  {
    ...byApplication,
    name: 'always retry',
    how: `any error, at once, ${String(often)} tries`,
    count: (counters, id) => untilItWorks(() => increment(counters, id)),
    expected: {
      ...correct,
      transient: 'may overcount',
      failover: 'may overcount',
      outage: 'wastes time',
      command: 'wastes time',
      overload: 'adds load',
    },
  },
  {
    ...byApplication,
    name: 'retry network errors once',
    how: 'nothing else',
    count: (counters, id) => onceMore(() => increment(counters, id)),
    expected: { ...correct, transient: 'may overcount', failover: 'may overcount', overload: 'may undercount' },
  },
  {
    ...byApplication,
    name: 'retry once, idempotent',
    how: 'two steps, clean-up at night',
    steps: [{ u: { $addToSet: {} } }, { u: { $inc: { counter: 1 } } }],
    count: announceAndCount,
    cleanUp: countAnnounced,
    expected: { ...correct, overload: 'may undercount' },
  },
  {
    ...byDriver,
    name: "this driver's default",
    how: 'retryable writes, backoff',
    policy: () => createRetryPolicy(),
    expected: correct,
  },
  {
    ...byDriver,
    name: 'token bucket',
    how: 'five tries while it has tokens',
    policy: () => tokenBucket(),
    expected: correct,
  },
];

/** Operations that may be done twice without harm, by an application that retries network errors once. */
export interface Idempotent {
  readonly name: string;
  readonly command: 'find' | 'insert' | 'delete';
  /** Whether there is such a document before. */
  readonly before: boolean;
  /** Whether there is one behind. */
  readonly after: boolean;
  readonly run: (counters: Counters, id: string) => Promise<void>;
}

const isDuplicate = (error: unknown): boolean => error instanceof MongoServerError && error.code === 11_000;

export const idempotents: readonly Idempotent[] = [
  {
    name: 'find, once more',
    command: 'find',
    before: true,
    after: true,
    run: async (counters, id) => {
      await onceMore(async () => {
        if ((await counters.findOne({ _id: id })) === null) throw new Error(`${id} was not found.`);
      });
    },
  },
  {
    name: 'insert, once more; a duplicate key then means done',
    command: 'insert',
    before: false,
    after: true,
    run: async (counters, id) => {
      let tries = 0;
      await onceMore(async () => {
        tries += 1;
        try {
          await counters.insertOne({ _id: id, counter: 1 });
        } catch (error) {
          if (tries < 2 || !isDuplicate(error)) throw error;
        }
      });
    },
  },
  {
    name: 'delete by a unique key, once more',
    command: 'delete',
    before: true,
    after: false,
    run: (counters, id) => onceMore(() => counters.deleteOne({ _id: id })),
  },
];

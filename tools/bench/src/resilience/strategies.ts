import { MongoNetworkError, MongoServerError } from '@tessera/client';
import type { Collection } from '@tessera/client';
import type { RetryPolicy } from '@tessera/contracts';
import { createRetryPolicy, noRetries, tokenBucket } from '@tessera/retry';
import { ObjectId } from 'bson';
import { faultNames } from './faults.js';
import type { FaultName } from './faults.js';

/** A document whose counter must be incremented once. */
export interface Counter {
  readonly _id: string;
  readonly counter?: number;
  /** Tokens of increments that were announced but not applied yet. */
  readonly pending?: readonly ObjectId[];
}

export type Counters = Collection<Counter>;

/** The verdicts, most serious first. `adds load` means that retries follow immediately, which overloads servers. */
export const verdicts = ['may overcount', 'may undercount', 'wastes time', 'adds load', 'correct'] as const;
export type Verdict = (typeof verdicts)[number];

/** A way to increment a counter despite faults. */
export interface Strategy {
  readonly name: string;
  /** A short description for the table. */
  readonly how: string;
  /** Creates the driver's retry policy. */
  readonly policy: () => RetryPolicy;
  readonly retryWrites: boolean;
  /** The update statements that the server receives if no fault occurs. */
  readonly steps: readonly Readonly<Record<string, unknown>>[];
  count(counters: Counters, id: string): Promise<void>;
  /** Repairs the counters after all increments. */
  cleanUp?(counters: Counters): Promise<void>;
  /** The expected verdict for each fault. */
  readonly expected: Readonly<Record<FaultName, Verdict>>;
}

const increment = async (counters: Counters, id: string): Promise<void> => {
  await counters.updateOne({ _id: id }, { $inc: { counter: 1 } }, { upsert: true });
};

const isNetworkError = (error: unknown): boolean => error instanceof MongoNetworkError;

/** Retries an operation once after a network error. */
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

/** Increments the counter in two idempotent steps. */
const announceAndCount = async (counters: Counters, id: string): Promise<void> => {
  const token = new ObjectId();
  await onceMore(() => counters.updateOne({ _id: id }, { $addToSet: { pending: token } }, { upsert: true }));
  await onceMore(() =>
    counters.updateOne({ _id: id, pending: token }, { $pull: { pending: token }, $inc: { counter: 1 } }),
  );
};

/** Applies the announced increments that remain after an outage between the two steps. */
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

/** Four strategies of applications, and two of this driver. */
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
    how: `any error, no wait, ${String(often)} tries`,
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
    how: 'no other errors',
    count: (counters, id) => onceMore(() => increment(counters, id)),
    expected: { ...correct, transient: 'may overcount', failover: 'may overcount', overload: 'may undercount' },
  },
  {
    ...byApplication,
    name: 'retry once, idempotent',
    how: 'two steps, cleanup job',
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
    how: 'up to five retries with tokens',
    policy: () => tokenBucket(),
    expected: correct,
  },
];

/** Operations that are idempotent by nature, in an application that retries network errors once. */
export interface Idempotent {
  readonly name: string;
  readonly command: 'find' | 'insert' | 'delete';
  /** Whether the document exists before the operation. */
  readonly before: boolean;
  /** Whether the document must exist after the operation. */
  readonly after: boolean;
  readonly run: (counters: Counters, id: string) => Promise<void>;
}

const isDuplicate = (error: unknown): boolean => error instanceof MongoServerError && error.code === 11_000;

export const idempotents: readonly Idempotent[] = [
  {
    name: 'find, retried once',
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
    name: 'insert, retried once; a duplicate key error then means success',
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
    name: 'delete by a unique key, retried once',
    command: 'delete',
    before: true,
    after: false,
    run: (counters, id) => onceMore(() => counters.deleteOne({ _id: id })),
  },
];

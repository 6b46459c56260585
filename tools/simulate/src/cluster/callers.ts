/** Callers that use the client of a replica set. */
import { defined } from '@tessera-tools/house';
import { ReadPreference } from '@tessera/client';
import type { ClientSession, ClientSessionOptions, Collection, CommandOptions, MongoClient } from '@tessera/client';
import type { Clock } from '@tessera/contracts';
import { createCallers } from '../kernel/callers.js';
import type { Callers } from '../kernel/callers.js';
import type { Record } from '../kernel/record.js';
import { accounts, markOf } from './plan.js';
import type { ClusterCall } from './plan.js';

type CallOf<K extends ClusterCall['kind']> = ClusterCall & { readonly kind: K };

interface Account {
  readonly _id: number;
  readonly balance: number;
}

/** The state that a conversation has of its counter. */
interface Counter {
  readonly session: ClientSession;
  readonly _id: string;
  /** The increments that were acknowledged or read. */
  least: number;
  /** The increments that were attempted. */
  most: number;
}

/** A transaction has its timeout, and its abort has as much again. */
const timesInTransaction = 2;

export const createClusterCallers = (client: MongoClient, clock: Clock, record: Record): Callers<ClusterCall> => {
  const bank = client.db('bank');
  const all: Collection<Account> = bank.collection('accounts');
  const counters: Collection<{ readonly _id: string; readonly n: number }> = bank.collection('counters');
  const log: Collection<{ readonly _id: string; readonly marks: readonly string[] }> = bank.collection('log');
  const marks = bank.collection('marks');

  const inSession = async (options: ClientSessionOptions, use: (session: ClientSession) => Promise<void>) => {
    const session = client.startSession(options);
    try {
      await use(session);
    } finally {
      await session.endSession();
    }
  };

  const transfer = ({ from, to, amount, aborts, number, timeoutMS }: CallOf<'transfer'>): Promise<void> =>
    inSession({}, async session => {
      const options = { session, comment: number };
      const move = async (): Promise<void> => {
        await all.updateOne({ _id: from }, { $inc: { balance: -amount } }, options);
        await all.updateOne({ _id: to }, { $inc: { balance: amount } }, options);
        await marks.insertOne({ mark: markOf({ number }) }, { ...options, forceServerObjectId: true });
        if (aborts) await session.abortTransaction();
      };
      await session.withTransaction(move, { writeConcern: { w: 'majority' }, ...defined({ timeoutMS }) });
    });

  /** Reads the accounts one after another, so that a transfer may happen in between. */
  const readAll = async (options: CommandOptions): Promise<number> => {
    let sum = 0;
    for (let _id = 0; _id < accounts; _id += 1) {
      const account = await all.findOne({ _id }, options);
      sum += account?.balance ?? Number.NaN;
    }
    return sum;
  };

  const sumUp = ({ by, mode, number, timeoutMS }: CallOf<'sum'>): Promise<void> =>
    inSession(by === 'snapshot' ? { snapshot: true } : {}, async session => {
      const limit = defined({ timeoutMS });
      const options = { session, comment: number };
      const sum =
        by === 'snapshot'
          ? await readAll({ ...options, ...limit, readPreference: new ReadPreference(mode) })
          : await session.withTransaction(() => readAll(options), { readConcern: { level: 'snapshot' }, ...limit });
      record.add({ is: 'summed', operation: number, sum });
    });

  const look = async (planned: CallOf<'look'>, counter: Counter, options: CommandOptions): Promise<void> => {
    const { session, _id } = counter;
    const found = await counters.findOne(
      { _id },
      { ...options, session, readConcern: { level: 'majority' }, readPreference: new ReadPreference(planned.mode) },
    );
    const value = found?.n ?? 0;
    record.add({ is: 'looked', operation: planned.number, value, least: counter.least, most: counter.most });
    counter.least = Math.max(counter.least, value);
  };

  const count = async (counter: Counter, options: CommandOptions): Promise<void> => {
    const { session, _id } = counter;
    counter.most += 1;
    await counters.updateOne(
      { _id },
      { $inc: { n: 1 } },
      { ...options, session, upsert: true, writeConcern: { w: 'majority' } },
    );
    counter.least += 1;
  };

  const perform = async (planned: ClusterCall, counter: Counter | undefined): Promise<void> => {
    const { number: comment, timeoutMS } = planned;
    const options: CommandOptions = defined({ comment, timeoutMS });
    switch (planned.kind) {
      case 'insert': {
        const concern = { writeConcern: { w: planned.w } };
        await marks.insertOne({ mark: markOf(planned) }, { ...options, ...concern, forceServerObjectId: true });
        return;
      }
      case 'push': {
        const concern = { writeConcern: { w: planned.w } };
        await log.updateOne({ _id: 'log' }, { $push: { marks: markOf(planned) } }, { ...options, ...concern });
        return;
      }
      case 'transfer':
        return transfer(planned);
      case 'sum':
        return sumUp(planned);
      case 'count':
        return count(counter!, options);
      case 'look':
        return look(planned, counter!, options);
    }
  };

  return createCallers<ClusterCall, Counter>(clock, record, {
    begin: ({ calls }) => ({ session: client.startSession(), _id: String(calls[0]?.number), least: 0, most: 0 }),
    perform: (planned, _, counter) => perform(planned, counter),
    timeOf: planned => {
      const { kind, timeoutMS } = planned;
      // An explicit abort has its own timeout.
      if (timeoutMS === undefined || (kind === 'transfer' && planned.aborts)) return undefined;
      // Each read of a snapshot has its own timeout.
      if (kind === 'sum' && planned.by === 'snapshot') return timeoutMS * accounts;
      return timeoutMS * (kind === 'transfer' || kind === 'sum' ? timesInTransaction : 1);
    },
  });
};

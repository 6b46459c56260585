/** Those who use the client: each makes one call of the facade, or several in a session of its own. */
import type { ClientSession, Collection, CommandOptions, MongoClient } from '@tessera/client';
import type { Clock, Document } from '@tessera/contracts';
import type { Record } from '../record.js';
import { marksOf } from './plan.js';
import type { PlannedCall } from './plan.js';

export interface Callers {
  /** Never rejects: how it ended is on the record. Answers whether it succeeded. */
  call(planned: PlannedCall, session?: ClientSession): Promise<boolean>;
  converse(calls: readonly PlannedCall[], causal: boolean): Promise<void>;
  /** Calls and conversations that have not ended. */
  readonly busy: number;
}

const concerns = { majority: { w: 'majority' }, journaled: { w: 1, journal: true }, memory: { w: 1 } } as const;

/** An acknowledged write has done what it was to do. */
const expectCount = (what: string, count: number, wanted: number): void => {
  if (count !== wanted) throw new TypeError(`${what} was answered with ${count} instead of ${wanted}`);
};

const log = { log: true };

const perform = async (marks: Collection, planned: PlannedCall, options: CommandOptions): Promise<void> => {
  const [first = '', second = '', third = ''] = marksOf(planned);
  const push = (mark: string): Document => ({ $push: { marks: mark } });
  switch (planned.kind) {
    case 'insertOne':
      await marks.insertOne({ mark: first }, { ...options, forceServerObjectId: true });
      return;
    case 'insertMany': {
      const documents = [first, second, third].map(mark => ({ mark }));
      const { insertedCount } = await marks.insertMany(documents, { ...options, forceServerObjectId: true });
      return expectCount('insertMany', insertedCount, 3);
    }
    case 'updateOne':
      return expectCount('updateOne', (await marks.updateOne(log, push(first), options)).modifiedCount, 1);
    case 'updateMany':
      return expectCount('updateMany', (await marks.updateMany(log, push(first), options)).modifiedCount, 1);
    case 'findOneAndUpdate': {
      const before = await marks.findOneAndUpdate(log, push(first), options);
      return expectCount('findOneAndUpdate', before === null ? 0 : 1, 1);
    }
    case 'deleteOne':
      return expectCount('deleteOne', (await marks.deleteOne({ token: first }, options)).deletedCount, 1);
    case 'bulkWrite': {
      const result = await marks.bulkWrite(
        [
          { insertOne: { document: { mark: first } } },
          { updateOne: { filter: log, update: push(second) } },
          { deleteOne: { filter: { token: third } } },
        ],
        { ...options, forceServerObjectId: true },
      );
      return expectCount('bulkWrite', result.insertedCount + result.modifiedCount + result.deletedCount, 3);
    }
    case 'findOne':
      await marks.findOne(log, options);
      return;
    case 'find':
      await marks.find({ filler: { $exists: true } }, { ...options, batchSize: 2 }).toArray();
      return;
    case 'countDocuments':
      await marks.countDocuments({}, options);
      return;
    case 'distinct':
      await marks.distinct('mark', {}, options);
      return;
  }
};

export const createCallers = (client: MongoClient, clock: Clock, record: Record): Callers => {
  let busy = 0;

  const call: Callers['call'] = async (planned, session) => {
    busy += 1;
    const { number: operation, timeoutMS, abortAfter, concern, level } = planned;
    const deadline = timeoutMS === undefined ? Infinity : clock.now() + timeoutMS;
    const abort = new AbortController();
    record.add({ is: 'began', operation, planned, deadline });
    const timer =
      abortAfter === undefined
        ? undefined
        : clock.startTimer(abortAfter, () => {
            record.add({ is: 'aborted', operation });
            abort.abort(new Error('the caller has changed its mind'));
          });
    const options: CommandOptions = {
      comment: operation,
      ...(session === undefined ? {} : { session }),
      ...(timeoutMS === undefined ? {} : { timeoutMS }),
      ...(abortAfter === undefined ? {} : { signal: abort.signal }),
      ...(concern === undefined ? {} : { writeConcern: concerns[concern] }),
      ...(level === undefined ? {} : { readConcern: { level } }),
    };
    try {
      await perform(client.db().collection('marks'), planned, options);
      record.add({ is: 'ended', operation, error: undefined });
      return true;
    } catch (error) {
      record.add({ is: 'ended', operation, error });
      return false;
    } finally {
      timer?.cancel();
      busy -= 1;
    }
  };

  return {
    call,
    converse: async (calls, causal) => {
      busy += 1;
      const session = client.startSession({ causalConsistency: causal });
      for (const planned of calls) await call(planned, session);
      await session.endSession();
      busy -= 1;
    },
    get busy() {
      return busy;
    },
  };
};

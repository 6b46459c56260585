/** Callers that use the client. Each makes one call of the facade, or several calls in its own session. */
import { defined } from '@tessera-tools/house';
import type { ClientSession, Collection, CommandOptions, MongoClient } from '@tessera/client';
import type { Clock, Document } from '@tessera/contracts';
import { createCallers } from '../kernel/callers.js';
import type { Callers } from '../kernel/callers.js';
import type { Record } from '../kernel/record.js';
import { marksOf } from './plan.js';
import type { ClientCall } from './plan.js';

const concerns = { majority: { w: 'majority' }, journaled: { w: 1, journal: true }, memory: { w: 1 } } as const;

/** Checks that an acknowledged write changed the expected number of documents. */
const expectCount = (what: string, count: number, wanted: number): void => {
  if (count !== wanted) throw new TypeError(`${what} returned the count ${count} instead of ${wanted}.`);
};

const log = { log: true };

const perform = async (marks: Collection, planned: ClientCall, options: CommandOptions): Promise<void> => {
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

export const createClientCallers = (client: MongoClient, clock: Clock, record: Record): Callers<ClientCall> =>
  createCallers<ClientCall, { readonly session: ClientSession }>(clock, record, {
    begin: ({ causal }) => ({ session: client.startSession({ causalConsistency: causal }) }),
    perform: (planned, { signal }, talk) => {
      const { number: comment, timeoutMS, concern, level } = planned;
      const writeConcern = concern === undefined ? undefined : concerns[concern];
      const readConcern = level === undefined ? undefined : { level };
      const options = defined({ comment, ...talk, timeoutMS, signal, writeConcern, readConcern });
      return perform(client.db().collection('marks'), planned, options);
    },
  });

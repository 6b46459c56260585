import { Long } from 'bson';
import type { Prepared } from './replies.js';

type Message = (body: Record<string, unknown>) => Prepared;

/** The writes of one bulkWrite: so many inserts, updates and deletes. */
export const mixedWrites = { inserts: 400, updates: 400, deletes: 200 } as const;

/** Returns the replies to the commands of a bulkWrite on the collection `mixed`, and to that of a client. */
export const bulkReplies = (message: Message, gossip: Record<string, unknown>): readonly [string, Prepared][] => {
  const { inserts, updates, deletes } = mixedWrites;
  const reply = (fields: Record<string, unknown>): Prepared => message({ ...fields, ok: 1, ...gossip });
  const counts = { nInserted: inserts, nMatched: updates, nModified: updates, nUpserted: 0, nDeleted: deletes };
  return [
    ['insert:mixed', reply({ n: inserts })],
    ['update:mixed', reply({ n: updates, nModified: updates })],
    ['delete:mixed', reply({ n: deletes })],
    [
      'bulkWrite',
      reply({ cursor: { id: Long.fromInt(0), firstBatch: [], ns: 'admin.$cmd.bulkWrite' }, nErrors: 0, ...counts }),
    ],
  ];
};

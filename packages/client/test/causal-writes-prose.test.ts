/** The prose tests of Causal Consistency about consecutive operations in a session. */
import type { ClientSession, Collection, MongoClient } from '@tessera/client';
import type { Document, DriverEvent } from '@tessera/contracts';
import { expect, test } from 'vitest';
import { withServers } from './with-servers.js';

interface Film extends Document {
  _id?: number;
}

type Run = (films: Collection<Film>, session: ClientSession, client: MongoClient) => Promise<unknown>;

const set = { $set: { a: 1 } };

const writes: readonly (readonly [title: string, command: string, run: Run])[] = [
  ['insertOne', 'insert', (films, session) => films.insertOne({}, { session })],
  ['insertMany', 'insert', (films, session) => films.insertMany([{}, {}], { session })],
  ['updateOne', 'update', (films, session) => films.updateOne({}, set, { session })],
  ['updateMany', 'update', (films, session) => films.updateMany({}, set, { session })],
  ['replaceOne', 'update', (films, session) => films.replaceOne({}, { a: 1 }, { session })],
  ['deleteOne', 'delete', (films, session) => films.deleteOne({}, { session })],
  ['deleteMany', 'delete', (films, session) => films.deleteMany({}, { session })],
  ['findOneAndUpdate', 'findAndModify', (films, session) => films.findOneAndUpdate({}, set, { session })],
  ['findOneAndReplace', 'findAndModify', (films, session) => films.findOneAndReplace({}, { a: 1 }, { session })],
  ['findOneAndDelete', 'findAndModify', (films, session) => films.findOneAndDelete({}, { session })],
  [
    'the bulkWrite of a collection',
    'insert',
    (films, session) => films.bulkWrite([{ insertOne: { document: {} } }], { session }),
  ],
  [
    'the bulkWrite of a client',
    'bulkWrite',
    ({ namespace }, session, client) => client.bulkWrite([{ name: 'insertOne', namespace, document: {} }], { session }),
  ],
];

const reads: readonly (readonly [title: string, run: Run])[] = [
  ['find', (films, session) => films.find({}, { session }).toArray()],
  ['findOne', (films, session) => films.findOne({}, { session })],
  ['aggregate', (films, session) => films.aggregate([{ $match: {} }], { session }).toArray()],
  ['distinct', (films, session) => films.distinct('a', {}, { session })],
  ['countDocuments', (films, session) => films.countDocuments({}, { session })],
  ['estimatedDocumentCount', (films, session) => films.estimatedDocumentCount({ session })],
];

/** Returns the read concern of the last command, and the operation time of the reply before that command. */
const lastRead = (events: readonly DriverEvent[]): readonly [readConcern: unknown, operationTime: unknown] => {
  const started = events.findLastIndex(event => event.name === 'commandStarted');
  const replies = events.slice(0, started).flatMap(event => (event.name === 'commandSucceeded' ? [event.reply] : []));
  const last = events[started];
  const readConcern = last?.name === 'commandStarted' ? last.command['readConcern'] : undefined;
  return [readConcern, replies.at(-1)?.['operationTime']];
};

test.each(reads)('Causal Consistency, prose test 4: findOne after a read sends the operation time: %s', (_, run) =>
  withServers([{ replicaSet: 'rs' }], async ({ open, events }) => {
    const client = open('mongodb://db1/?replicaSet=rs');
    const films = client.db('shop').collection<Film>('films');
    await films.insertOne({ a: 1 });
    await client.withSession({ causalConsistency: true }, async session => {
      await run(films, session, client);
      const { operationTime } = session;
      expect(operationTime).toBeDefined();
      await films.findOne({}, { session });
      expect(lastRead(events)).toEqual([{ afterClusterTime: operationTime }, operationTime]);
    });
  }),
);

test.each(writes)(
  'Causal Consistency, prose test 5: findOne after a write sends the operation time: %s',
  (_, __, run) =>
    withServers([{ replicaSet: 'rs' }], async ({ open, events }) => {
      const client = open('mongodb://db1/?replicaSet=rs');
      const films = client.db('shop').collection<Film>('films');
      await films.insertOne({ b: 1 });
      await client.withSession({ causalConsistency: true }, async session => {
        await films.findOne({}, { session });
        const before = session.operationTime;
        expect(before).toBeDefined();
        await run(films, session, client);
        const { operationTime } = session;
        expect(operationTime?.greaterThan(before!)).toBe(true);
        await films.findOne({}, { session });
        expect(lastRead(events)).toEqual([{ afterClusterTime: operationTime }, operationTime]);
      });
    }),
);

const commands = (events: readonly DriverEvent[], name: string): readonly Document[] =>
  events.flatMap(event => (event.name === 'commandStarted' && event.commandName === name ? [event.command] : []));

test.each(writes)(
  'Causal Consistency, prose test 13: the session stores the operation time of a write after a read: %s',
  (_, command, run) =>
    withServers([{ replicaSet: 'rs' }], async ({ open, events }) => {
      const client = open('mongodb://db1/?replicaSet=rs');
      const films = client.db('shop').collection<Film>('films');
      await client.withSession({ causalConsistency: true }, async session => {
        await films.findOne({}, { session });
        const { operationTime } = session;
        expect(operationTime).toBeDefined();
        await run(films, session, client);
        expect(commands(events, command).map(({ readConcern }) => readConcern as unknown)).toEqual([
          { afterClusterTime: operationTime },
        ]);
      });
    }),
);

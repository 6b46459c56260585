/** The prose test of Causal Consistency about writes after a read. */
import type { ClientSession, Collection, MongoClient } from '@tessera/client';
import type { Document, DriverEvent } from '@tessera/contracts';
import { expect, test } from 'vitest';
import { onStage } from './stage.js';

interface Film extends Document {
  _id?: number;
}

type Write = (films: Collection<Film>, session: ClientSession, client: MongoClient) => Promise<unknown>;

const set = { $set: { a: 1 } };

const writes: readonly (readonly [title: string, command: string, run: Write])[] = [
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

const commands = (events: readonly DriverEvent[], name: string): readonly Document[] =>
  events.flatMap(event => (event.name === 'commandStarted' && event.commandName === name ? [event.command] : []));

test.each(writes)(
  'Causal Consistency, prose test 13: a write after a read tells its operation time: %s',
  (_, command, run) =>
    onStage([{ replicaSet: 'rs' }], async ({ open, events }) => {
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

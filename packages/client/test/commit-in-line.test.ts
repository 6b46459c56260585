/** A commit that waits for earlier operations of its transaction, and the events that end the wait. */
import { MongoClientClosedError, MongoExpiredSessionError, MongoOperationTimeoutError } from '@tessera/client';
import type { ClientSession, Collection, MongoClient } from '@tessera/client';
import { describe, expect, test } from 'vitest';
import { withServers } from './with-servers.js';
import type { Setup } from './with-servers.js';

interface Scenario extends Setup {
  readonly client: MongoClient;
  readonly films: Collection;
  readonly session: ClientSession;
  /** Starts a transaction with two concurrent inserts. The first takes 100 ms. */
  inserts(): readonly Promise<unknown>[];
  sent(): readonly string[];
}

const withScript = (program: (scenario: Scenario) => Promise<void>): Promise<void> =>
  withServers([{ replicaSet: 'rs' }], async setup => {
    const client = setup.open('mongodb://db1/?replicaSet=rs');
    const films = client.db('shop').collection('films');
    await films.insertOne({});
    await setup.failPoint('db1', { times: 1 }, { failCommands: ['insert'], blockConnection: true, blockTimeMS: 100 });
    const session = client.startSession();
    setup.events.length = 0;
    const inserts: Scenario['inserts'] = () => {
      session.startTransaction();
      return [films.insertOne({}, { session }), films.insertOne({}, { session })];
    };
    const sent: Scenario['sent'] = () =>
      setup.events.flatMap(event => (event.name === 'commandStarted' ? [event.commandName] : []));
    await program({ ...setup, client, films, session, inserts, sent });
  });

const failureOf = (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => new Error('it did not fail'),
    (error: unknown) => error as Error,
  );

describe('a commit that waits for concurrent operations', () => {
  test('fails when its timeoutMS expires, and the transaction can still be committed', () =>
    withScript(async ({ session, films, inserts, sent, now }) => {
      const [inserted, began] = [inserts(), now()];
      const error = await failureOf(session.commitTransaction({ timeoutMS: 40 }));
      expect([error instanceof MongoOperationTimeoutError, now() - began, session.inTransaction()]).toEqual([
        ...[true, 40],
        true,
      ]);
      expect(error.message).toMatch('while it waited for an earlier operation of its transaction');
      await Promise.all(inserted);
      await session.commitTransaction();
      expect(sent()).toEqual(['insert', 'insert', 'commitTransaction']);
      expect(await films.countDocuments()).toBe(3);
    }));

  test('counts the wait toward its timeoutMS', () =>
    withScript(async ({ session, inserts, failPoint, now, sleep }) => {
      const [inserted, began] = [inserts(), now()];
      const failure = failureOf(session.commitTransaction({ timeoutMS: 150 }));
      await sleep(10);
      const data = { failCommands: ['commitTransaction'], blockConnection: true, blockTimeMS: 100 };
      await failPoint('db1', { times: 1 }, data);
      expect([await failure, now() - began]).toEqual([expect.any(MongoOperationTimeoutError), 150]);
      await Promise.all(inserted);
    }));

  test('is sent before the session ends, if endSession was called after it', () =>
    withScript(async ({ session, inserts, sent }) => {
      const inserted = inserts();
      await Promise.all([session.commitTransaction({ timeoutMS: 1000 }), session.endSession()]);
      await Promise.all(inserted);
      expect(sent()).toEqual(['insert', 'insert', 'commitTransaction']);
    }));

  test('fails with the operations when the client closes, and a later commit fails because the session has ended', () =>
    withScript(async ({ client, session, inserts, sent, sleep }) => {
      const failures = [...inserts(), session.commitTransaction()].map(failureOf);
      await sleep(10);
      await client.close();
      expect((await Promise.all(failures)).map(error => error instanceof MongoClientClosedError)).toEqual([
        ...[true, true],
        true,
      ]);
      expect(sent()).toEqual(['insert']);
      expect(await failureOf(session.commitTransaction())).toBeInstanceOf(MongoExpiredSessionError);
    }));
});

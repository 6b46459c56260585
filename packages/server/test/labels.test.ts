import type { Document } from 'bson';
import { Long } from 'bson';
import { describe, expect, test } from 'vitest';
import type { Reply } from './client.js';
import { Client, world } from './client.js';
import { lsid, members } from '../../cluster/test/cluster/members.js';
import { Session, set, transient } from './txn/session.js';

const retryable = 'RetryableWriteError';

const fail = (client: Client, data: Document): Promise<Reply> =>
  client.plain({ configureFailPoint: 'failCommand', mode: 'alwaysOn', data }, 'admin');

const commands = ['insert', 'find', 'commitTransaction', 'abortTransaction'];

const labelsOf = (reply: Document): unknown => reply['errorLabels'] ?? [];

/** Returns the error labels that each kind of command gets when all of them fail in the same way. */
const labelsWhen = async (version: string, data: Document): Promise<Document> => {
  const { client } = set({ version });
  const session = new Session(client, 7).start();
  await session.run({ find: 'c' });
  await fail(client, { failCommands: commands, ...data });
  const insert = { insert: 'c', documents: [{}] };
  return {
    plain: labelsOf(await client.plain(insert)),
    retryable: labelsOf(await client.plain({ ...insert, lsid, txnNumber: Long.ONE })),
    statement: labelsOf(await session.run({ find: 'c' })),
    commit: labelsOf(await session.commit()),
    abort: labelsOf(await session.abort()),
  };
};

const none = { plain: [], retryable: [], statement: [], commit: [], abort: [] };

describe('error labels', () => {
  test.each([6, 7, 89, 91, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436])(
    'code %i: RetryableWriteError for a retryable write, commit and abort, TransientTransactionError for other statements',
    async errorCode => {
      expect(await labelsWhen('8.2.1', { errorCode })).toEqual({
        plain: [],
        retryable: [retryable],
        statement: [transient],
        commit: [retryable],
        abort: [retryable],
      });
    },
  );

  test('do not include RetryableWriteError before version 4.4', async () => {
    expect(await labelsWhen('4.2.0', { errorCode: 91 })).toEqual({ ...none, statement: [transient] });
  });

  test.each([24, 112, 239, 246, 251, 267])(
    'code %i: TransientTransactionError for every command of a transaction',
    async errorCode => {
      const begun = [transient];
      expect(await labelsWhen('8.2.1', { errorCode })).toEqual({
        ...none,
        statement: begun,
        commit: begun,
        abort: begun,
      });
    },
  );

  test.each([8, 50, 11000, 11601])('code %i: none', async errorCode => {
    expect(await labelsWhen('8.2.1', { errorCode })).toEqual(none);
  });

  test('are replaced by the errorLabels of a fail point, even by an empty list', async () => {
    expect(await labelsWhen('8.2.1', { errorCode: 91, errorLabels: [] })).toEqual(none);
    const own = ['L'];
    expect(await labelsWhen('8.2.1', { errorCode: 8, errorLabels: own })).toEqual({
      plain: own,
      retryable: own,
      statement: own,
      commit: own,
      abort: own,
    });
  });

  test('are not sent by a standalone', async () => {
    const { client } = world({ testCommands: true });
    await fail(client, { failCommands: ['insert'], errorCode: 91 });
    expect(labelsOf(await client.plain({ insert: 'c', documents: [{}] }))).toEqual([]);
  });

  test('do not include TransientTransactionError for a commit with a write concern error', async () => {
    const { client } = set();
    const session = new Session(client).start();
    await session.run({ insert: 'c', documents: [{ _id: 1 }] });
    const writeConcernError = { code: 91, errmsg: 'gone' };
    await fail(client, { failCommands: ['commitTransaction'], writeConcernError });
    expect(await session.commit()).toMatchObject({ ok: 1, writeConcernError, errorLabels: [retryable] });
  });

  test('include RetryableWriteError for a retryable write whose wait for its write concern is interrupted by a step-down', async () => {
    const group = members(3);
    group.partition([0], [1, 2]);
    const insert = { insert: 'c', documents: [{ _id: 1 }], lsid, txnNumber: Long.ONE };
    const waiting = group.clients[0]!.plain(insert);
    await group.clock.advance(10_000);
    expect(await waiting).toMatchObject({ ok: 1, n: 1, writeConcernError: { code: 11602 }, errorLabels: [retryable] });
    await group.close();
  });
});

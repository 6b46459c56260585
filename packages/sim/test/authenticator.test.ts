import type { Authenticator, Connection, Conversation, Document } from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';
import { authenticatorSuite } from '@tessera/sim';
import type { ContractCase } from '@tessera/sim';
import { describe, expect, test } from 'vitest';
import { expectNotice, failing } from './notice.js';

describe('authenticatorSuite', () => {
  const ask = async (connection: Connection, deadline: number): Promise<Document> => {
    try {
      return await connection.command('admin', { login: 1 }, deadline);
    } catch (error) {
      if (!MongoError.is(error) || error.kind !== 'server') throw error;
      throw new MongoError('auth', 'The server refuses the user.', { code: error.code });
    }
  };
  /** Sends two commands. The server proves its identity in the second reply. */
  const finish: Conversation['finish'] = async (connection, answer, deadline) => {
    if (answer === undefined) await ask(connection, deadline);
    const { proof } = await ask(connection, deadline);
    if (proof !== 'server') throw new MongoError('protocol', 'The server does not prove itself.');
  };
  const suiteOf = (changed: Conversation['finish']): readonly ContractCase[] =>
    authenticatorSuite({
      createAuthenticator: (): Authenticator => ({
        mechanism: 'two steps',
        begin: () => ({ first: { login: 1 }, finish: changed }),
      }),
      replies: [{ ok: 1 }, { ok: 1, proof: 'server' }],
      impostors: [[{ ok: 1 }, { ok: 1 }]],
      secrets: ['pencil'],
    });
  /** Returns the suite's results for an authenticator whose errors `change` replaces. */
  const failingBy = (change: (error: MongoError) => MongoError | undefined): readonly ContractCase[] =>
    suiteOf(async (...given) => {
      try {
        await finish(...given);
      } catch (error) {
        const changed = change(error as MongoError);
        if (changed !== undefined) throw changed;
      }
    });

  test('passes an authenticator that fulfils the contract', async () => {
    expect(await failing(suiteOf(finish))).toEqual([]);
  });

  test('detects an authenticator that ignores the deadline', () =>
    expectNotice(
      suiteOf((connection, answer) => finish(connection, answer, Infinity)),
      'each command has the given deadline',
    ));

  test('detects an authenticator that begins again after hello', () =>
    expectNotice(
      suiteOf((connection, _answer, deadline) => finish(connection, undefined, deadline)),
      'if hello carried the first',
    ));

  test('detects an authenticator that does not report a rejection as auth', () =>
    expectNotice(
      failingBy(error => (error.kind === 'auth' ? new MongoError('server', error.message) : error)),
      'fails as auth',
    ));

  test('detects an authenticator that reveals the password', () =>
    expectNotice(
      failingBy(error => new MongoError(error.kind, 'refused', { cause: new Error('pencil') })),
      'without a secret',
    ));

  test('detects an authenticator that trusts every server', () =>
    expectNotice(
      failingBy(error => (error.kind === 'protocol' ? undefined : error)),
      'does not fulfil its part',
    ));

  test('detects an authenticator that reports a lost connection as a rejection', () =>
    expectNotice(
      failingBy(error => (error.kind === 'network' ? new MongoError('auth', 'refused') : error)),
      'with the error of the connection',
    ));
});

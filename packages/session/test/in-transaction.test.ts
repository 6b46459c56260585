import { bson } from '@tessera/bson';
import { MongoError } from '@tessera/contracts';
import type { Connection, Dispatch, Document, Lease, Operation, Request } from '@tessera/contracts';
import { Long, Timestamp } from 'bson';
import { describe, expect, test } from 'vitest';
import type { ClientSessionState } from '../src/index.js';
import { failureOf, idOf, insert, killCursors, request, scene } from './scripted.js';
import type { Place, Scene } from './scripted.js';

const one = Long.fromNumber(1);
const lost = (): MongoError => new MongoError('network', 'reset', { origin: { phase: 'command', sent: true } });
const overloaded: Document = { ok: 0, code: 462, errorLabels: ['SystemOverloadedError', 'RetryableError'] };
const time = (t: number): Timestamp => new Timestamp({ t, i: 1 });

const start = ({ sessions }: Scene, options: Parameters<ClientSessionState['startTransaction']>[0] = {}) => {
  const session = sessions.start();
  session.startTransaction(options);
  return session;
};
const within = (session: ClientSessionState, of: Partial<Operation<string>> = {}): Request<string> =>
  request(of, { session });
const command = (session: ClientSessionState, operation: Operation<void> | undefined): Request<void> => {
  if (operation === undefined) throw new Error('there is nothing to send');
  return { ...(request({}, { session }) as unknown as Request<void>), operation };
};
const commit = ({ run }: Scene, session: ClientSessionState): Promise<void> =>
  run(command(session, session.commitTransaction()));
const abort = ({ run }: Scene, session: ClientSessionState): Promise<void> =>
  run(command(session, session.abortTransaction()));

/** Returns the commands without their lsid. */
const sent = ({ server }: Scene): Document[] =>
  server.sent.map(({ lsid, ...rest }) => {
    expect(lsid).toBeDefined();
    return rest;
  });
const followed = { txnNumber: one, autocommit: false };

/** A layer below the session layer that retries once per remaining failure. */
const again =
  (dispatch: Dispatch): Dispatch =>
  async tried => {
    for (let { failures } = tried; ;) {
      try {
        return await dispatch({ ...tried, failures });
      } catch (error) {
        failures = [...failures, error as MongoError];
        if (failures.length > 2) throw error;
      }
    }
  };

describe('Transactions, "Constructing commands within a transaction"', () => {
  test(
    'sends startTransaction and the read concern only with the first command',
    scene(async all => {
      const session = start(all, { readConcern: { level: 'snapshot' }, writeConcern: { w: 'majority' } });
      await all.run(within(session, insert));
      await all.run(within(session));
      await commit(all, session);
      expect(sent(all)).toEqual([
        { find: 1, txnNumber: one, startTransaction: true, readConcern: { level: 'snapshot' }, autocommit: false },
        { find: 1, ...followed },
        { commitTransaction: 1, writeConcern: { w: 'majority' }, ...followed },
      ]);
      expect(new Set(all.server.sent.map(idOf)).size).toBe(1);
    }),
  );

  test(
    'ignores the concerns of operations in a transaction, and sends them outside of one',
    scene(async all => {
      const session = start(all);
      const concerns = { readConcern: { level: 'local' }, writeConcern: { w: 1 } };
      await all.run(within(session, concerns));
      await all.run(within(session, concerns));
      await abort(all, session);
      await all.run(within(session, concerns));
      const none = { readConcern: undefined, writeConcern: undefined };
      expect(sent(all).map(({ readConcern, writeConcern }) => ({ readConcern, writeConcern }))).toEqual([
        ...[none, none, none, concerns],
      ]);
    }),
  );

  test(
    'Causal Consistency: sends afterClusterTime only with the first command, also if it is a write',
    scene(async all => {
      const session = all.sessions.start();
      session.advanceOperationTime(time(7));
      session.startTransaction({ readConcern: { level: 'majority' } });
      await all.run(within(session, insert));
      await all.run(within(session));
      expect(sent(all).map(({ readConcern }) => readConcern as unknown)).toEqual([
        { level: 'majority', afterClusterTime: time(7) },
        undefined,
      ]);
    }),
  );

  test(
    "replaces the read concern of a user's own first command with that of the transaction, and otherwise sends it unchanged",
    scene(async all => {
      const own = { kind: 'either', readConcern: { level: 'local' } } as const;
      await all.run(within(start(all, { readConcern: { level: 'majority' } }), own));
      const session = start(all);
      session.advanceOperationTime(time(7));
      await all.run(within(session, own));
      await all.run(within(session, own));
      expect(sent(all).map(command => command['readConcern'] as unknown)).toEqual([
        { level: 'majority' },
        { level: 'local', afterClusterTime: time(7) },
        { level: 'local' },
      ]);
    }),
  );

  test.each([
    ['commitTransaction', 'commitsTransaction', commit],
    ['abortTransaction', 'abortsTransaction', abort],
  ] as const)(
    "a user's own %s command after the end of the transaction is sent outside the transaction",
    (name, role, end) =>
      scene(async all => {
        const session = start(all);
        await all.run(within(session));
        await end(all, session);
        all.server.sent.length = 0;
        await all.run(within(session, { name, role, kind: 'either' }));
        expect(sent(all)).toEqual([{ find: 1 }]);
        expect(session.transaction.is).toBe('none');
      })(),
  );

  test(
    'omits an empty read concern',
    scene(async all => {
      await all.run(within(start(all, { readConcern: {} })));
      expect(sent(all)).toEqual([{ find: 1, txnNumber: one, startTransaction: true, autocommit: false }]);
    }),
  );

  test(
    'increments txnNumber for each transaction and for the writes after it',
    scene(async all => {
      const session = start(all);
      expect(session.txnNumber).toBe(1);
      await all.run(within(session));
      await commit(all, session);
      session.startTransaction({});
      await all.run(within(session));
      await abort(all, session);
      await all.run(within(session, insert));
      expect(sent(all).map(({ txnNumber }) => Number(txnNumber))).toEqual([1, 1, 2, 2, 3]);
    }),
  );

  test(
    'Client Backpressure: sends startTransaction again when it retries the first command after an overload error',
    scene(async all => {
      const session = start(all, { readConcern: { level: 'local' } });
      all.server.replies.push(overloaded, overloaded);
      await all.sessions.layer(again(all.server.dispatch))(within(session));
      expect(session.transaction.is).toBe('in progress');
      const first = {
        find: 1,
        txnNumber: one,
        startTransaction: true,
        readConcern: { level: 'local' },
        autocommit: false,
      };
      expect(sent(all)).toEqual([first, first, first]);
    }),
  );

  test(
    'sends maxCommitTimeMS with the commit, unless timeoutMS replaces it and wtimeout',
    scene(async all => {
      const options = { maxCommitTimeMS: 500, writeConcern: { w: 2, wtimeout: 9 } };
      const session = start(all, options);
      await all.run(within(session));
      await commit(all, session);
      session.startTransaction(options);
      await all.run(within(session));
      await all.run({ ...command(session, session.commitTransaction()), deadline: 99 });
      session.startTransaction({ writeConcern: { wtimeout: 9 } });
      await all.run(within(session));
      await all.run({ ...command(session, session.abortTransaction()), deadline: 99 });
      const ends = sent(all).filter(({ find }) => find === undefined);
      expect(ends).toEqual([
        { commitTransaction: 1, maxTimeMS: 500, writeConcern: { w: 2, wtimeout: 9 }, ...followed },
        {
          commitTransaction: 1,
          writeConcern: { w: 2 },
          txnNumber: Long.fromNumber(2),
          autocommit: false,
        },
        { abortTransaction: 1, txnNumber: Long.fromNumber(3), autocommit: false },
      ]);
    }),
  );
});

describe('Transactions, states', () => {
  test(
    'commit and abort are acknowledged, always retryable writes to the database admin of the primary',
    scene(async all => {
      const session = start(all);
      await all.run(within(session));
      const database = bson.elements({ $db: 'admin' });
      const traits = {
        db: 'admin',
        database,
        kind: 'write',
        retryable: 'always',
        selection: { mode: 'primary' },
        answer: 'one',
      };
      expect(session.commitTransaction()).toMatchObject({ name: 'commitTransaction', ...traits });
      session.startTransaction({ maxCommitTimeMS: 5 });
      await all.run(within(session));
      const aborting = command(session, session.abortTransaction());
      expect(aborting.operation).toMatchObject({ name: 'abortTransaction', ...traits });
      await all.run(aborting);
      expect(sent(all).at(-1)).not.toHaveProperty('maxTimeMS');
    }),
  );

  test(
    'sends no command to end a transaction in which nothing was sent',
    scene(async all => {
      const session = start(all);
      expect(session.inTransaction).toBe(true);
      expect(session.commitTransaction()).toBeUndefined();
      expect(session.commitTransaction()).toBeUndefined();
      expect(session.inTransaction).toBe(false);
      session.startTransaction({});
      expect(session.abortTransaction()).toBeUndefined();
      expect(session.transaction).toEqual({ is: 'aborted', reached: undefined });
      expect(all.server.sent).toEqual([]);
    }),
  );

  test(
    'stays starting after an error of the driver, and is in progress after any reply or a lost connection',
    scene(async all => {
      const broken = {
        body: () => {
          throw new MongoError('usage', 'cannot be written');
        },
      };
      const session = start(all);
      await failureOf(all.run(within(session, broken)));
      all.server.failure = new MongoError('usage', 'nothing', { origin: { phase: 'command', sent: true } });
      await failureOf(all.run(within(session)));
      all.server.failure = new MongoError('pool', 'none', { origin: { phase: 'checkOut', sent: false } });
      await failureOf(all.run(within(session)));
      expect(session.transaction.is).toBe('starting');
      all.server.replies.push({ ok: 0, code: 11000 });
      await failureOf(all.run(within(session)));
      expect(session.transaction.is).toBe('in progress');

      session.abortTransaction();
      session.startTransaction({});
      expect(session.transaction.is).toBe('starting');
      await failureOf(all.run(within(session, broken)));
      expect(session.transaction.is).toBe('starting');
      all.server.failure = lost();
      await failureOf(all.run(within(session)));
      expect(session.transaction.is).toBe('in progress');
    }),
  );

  test(
    'resets the transaction at the next operation after its end, except for killCursors',
    scene(async all => {
      const session = start(all);
      await all.run(within(session));
      await commit(all, session);
      await all.run(within(session, killCursors));
      expect(session.transaction.is).toBe('committed');
      await all.run(within(session));
      expect(session.transaction.is).toBe('none');
      expect(sent(all).at(-1)).toEqual({ find: 1 });
      await expect(async () => session.commitTransaction()).rejects.toThrow('No transaction started');
    }),
  );

  test(
    'sends killCursors in the transaction if it is in progress; otherwise it does not start the transaction',
    scene(async all => {
      const session = start(all);
      await all.run(within(session, killCursors));
      expect(session.transaction.is).toBe('starting');
      await all.run(within(session));
      await all.run(within(session, killCursors));
      expect(sent(all)).toEqual([
        { find: 1 },
        { find: 1, txnNumber: one, startTransaction: true, autocommit: false },
        { find: 1, ...followed },
      ]);
    }),
  );

  test(
    'has no transaction after the session has ended',
    scene(async all => {
      const session = start(all);
      await all.run(within(session));
      session.end();
      expect([session.inTransaction, session.transaction]).toEqual([false, { is: 'none' }]);
    }),
  );
});

describe('Transactions, "readPreference"', () => {
  const secondary = { mode: 'secondary' } as const;
  const message = 'Read preference in a transaction must be primary, not: secondary';

  test.each([
    ['a read', { selection: { mode: 'primary' } as const }],
    [
      'an aggregation, also with $out',
      { kind: 'write' as const, selection: { mode: 'primary', writes: true } as const },
    ],
    ['a command of the application', { kind: 'either' as const, selection: { mode: 'primary' } as const }],
  ])('%s with another mode is rejected before it is sent', (_what, of) =>
    scene(async all => {
      const session = start(all, { readPreference: secondary });
      expect((await failureOf(all.run(within(session, of)))).message).toBe(message);
      const other = start(all);
      expect(
        (await failureOf(all.run(within(other, { ...of, selection: { ...of.selection, ...secondary } })))).message,
      ).toBe(message);
      expect([all.server.sent, session.transaction.is]).toEqual([[], 'starting']);
    })(),
  );

  test(
    'does not apply to writes, commit and abort',
    scene(async all => {
      const session = start(all, { readPreference: secondary });
      await all.run(within(session, insert));
      await commit(all, session);
      expect(all.server.sent.length).toBe(2);
    }),
  );

  test(
    'accepts mode primary, and any mode outside of a transaction',
    scene(async all => {
      const session = start(all, { readPreference: { mode: 'primary' } });
      await all.run(within(session));
      await abort(all, session);
      await all.run(within(session, { selection: secondary }));
      expect(all.server.sent.length).toBe(3);
    }),
  );
});

describe('Transactions, "Error Labels"', () => {
  test(
    'labels errors without a reply before the retry decision',
    scene(async all => {
      const session = start(all);
      all.server.failure = lost();
      expect((await failureOf(all.run(within(session)))).labels).toEqual(['TransientTransactionError']);
      all.server.failure = lost();
      expect((await failureOf(commit(all, session))).labels).toEqual(['UnknownTransactionCommitResult']);
      all.server.failure = lost();
      expect((await failureOf(all.run(within(session, killCursors)))).labels).toEqual([]);
      all.server.failure = lost();
      expect((await failureOf(all.run(within(session)))).labels).toEqual([]);
    }),
  );

  test(
    'rejects a commit with the fields of its write concern error',
    scene(async all => {
      const session = start(all);
      await all.run(within(session));
      const reply = {
        ok: 1,
        errorLabels: ['Own'],
        writeConcernError: { code: 64, codeName: 'WriteConcernTimeout', errmsg: 'waited' },
      };
      all.server.replies.push(reply, { ok: 1, writeConcernError: { code: 79 } });
      const error = await failureOf(commit(all, session));
      expect({ ...error, message: error.message, labels: error.labels, reply: error.reply }).toEqual({
        kind: 'server',
        code: 64,
        codeName: 'WriteConcernTimeout',
        message: 'The write concern was not satisfied: waited',
        labels: ['Own', 'UnknownTransactionCommitResult'],
        reply,
      });
      const second = await failureOf(commit(all, session));
      expect([second.message, second.labels]).toEqual([
        'The write concern was not satisfied: the server gave no reason',
        [],
      ]);
    }),
  );
});

describe('Transactions, "writeConcern for commitTransaction attempts"', () => {
  const concernsOf = (all: Scene) =>
    sent(all).flatMap(({ commitTransaction, writeConcern }) =>
      commitTransaction === 1 ? [writeConcern as unknown] : [],
    );
  const sure = { w: 'majority', wtimeout: 10_000 };

  test(
    'sets w: majority for a second commit, and keeps the other fields',
    scene(async all => {
      const session = start(all, { writeConcern: { w: 1, j: true, wtimeout: 500 } });
      await all.run(within(session));
      await commit(all, session);
      await commit(all, session);
      session.startTransaction({});
      await all.run(within(session));
      all.server.replies.push({ ok: 0, code: 251 });
      await failureOf(commit(all, session));
      await commit(all, session);
      const own = { w: 1, j: true, wtimeout: 500 };
      expect(concernsOf(all)).toEqual([own, { ...own, w: 'majority' }, undefined, sure]);
    }),
  );

  test(
    'sets w: majority for a retried commit, but not after an overload error',
    scene(async all => {
      const run = all.sessions.layer(again(all.server.dispatch));
      const session = start(all);
      await all.run(within(session));
      all.server.replies.push(overloaded, overloaded, overloaded);
      await failureOf(run(command(session, session.commitTransaction())));
      all.server.replies.push({ ok: 0, code: 91 }, overloaded);
      await run(command(session, session.commitTransaction()));
      expect(concernsOf(all)).toEqual([undefined, undefined, undefined, undefined, sure, sure]);
    }),
  );

  test(
    'adds no wtimeout if timeoutMS is set',
    scene(async all => {
      const session = start(all);
      await all.run(within(session));
      await commit(all, session);
      await all.run({ ...command(session, session.commitTransaction()), deadline: 99 });
      expect(concernsOf(all)).toEqual([undefined, { w: 'majority' }]);
    }),
  );

  test(
    'retries an abort unchanged',
    scene(async all => {
      const session = start(all, { writeConcern: { w: 1 } });
      await all.run(within(session));
      all.server.replies.push({ ok: 0, code: 91 });
      await all.sessions.layer(again(all.server.dispatch))(command(session, session.abortTransaction()));
      const end = { abortTransaction: 1, writeConcern: { w: 1 }, ...followed };
      expect(sent(all).slice(1)).toEqual([end, end]);
    }),
  );
});

describe('Transactions, "Mongos Pinning"', () => {
  const mongos = (address: string): Place => ({ topology: 'Sharded', type: 'Mongos', address });

  test(
    'stays on the mongos of its first command, also for its commits',
    scene(async all => {
      all.server.place = mongos('a:1');
      const session = start(all);
      await all.run(within(session));
      await all.run(within(session));
      await commit(all, session);
      await commit(all, session);
      const pin = { address: 'a:1' };
      expect(all.server.pins).toEqual([undefined, pin, pin, pin]);
      expect(session.pin).toEqual(pin);
    }),
  );

  test(
    'unpins at the next transaction, at an operation outside of it and at the end of the session',
    scene(async all => {
      all.server.place = mongos('a:1');
      const session = start(all);
      await all.run(within(session));
      await commit(all, session);
      session.startTransaction({});
      expect(session.pin).toBeUndefined();
      await all.run(within(session));
      await commit(all, session);
      await all.run(within(session));
      expect(all.server.pins.at(-1)).toBeUndefined();
      session.startTransaction({});
      await all.run(within(session));
      session.end();
      expect(session.pin).toBeUndefined();
    }),
  );

  test(
    'unpins after a TransientTransactionError, but not after other errors',
    scene(async all => {
      all.server.place = mongos('a:1');
      const session = start(all);
      await all.run(within(session));
      all.server.replies.push({ ok: 0, code: 11000 });
      await failureOf(all.run(within(session)));
      expect(session.pin).toEqual({ address: 'a:1' });
      all.server.replies.push({ ok: 0, code: 251, errorLabels: ['TransientTransactionError'] });
      await failureOf(all.run(within(session)));
      expect(session.pin).toBeUndefined();
      all.server.place = mongos('b:1');
      await all.run(within(session));
      expect(session.pin).toBeUndefined();
    }),
  );

  test.each([
    ['an unknown result', { ok: 0, code: 91, errorLabels: ['RetryableWriteError'] }, undefined],
    ['an abort on the server', { ok: 0, code: 251, errorLabels: ['TransientTransactionError'] }, undefined],
    ['any other error', { ok: 0, code: 1 }, { address: 'a:1' }],
  ])('a commit that fails with %s', (_what, reply, pin) =>
    scene(async all => {
      all.server.place = mongos('a:1');
      const session = start(all);
      await all.run(within(session));
      all.server.replies.push(reply);
      await failureOf(commit(all, session));
      expect(session.pin).toEqual(pin);
    })(),
  );

  test(
    'unpins after a failed abort, and after the abort of an empty transaction',
    scene(async all => {
      all.server.place = mongos('a:1');
      const session = start(all);
      await all.run(within(session));
      all.server.replies.push({ ok: 0, code: 1 });
      await all.sessions.layer(again(all.server.dispatch))(command(session, session.abortTransaction()));
      expect(all.server.pins).toEqual([undefined, { address: 'a:1' }, undefined]);
      session.startTransaction({});
      await failureOf(
        all.run(
          within(session, {
            body: () => {
              throw new MongoError('usage', 'no');
            },
          }),
        ),
      );
      session.abortTransaction();
      expect(session.pin).toBeUndefined();
    }),
  );

  test(
    'unpins after an abort',
    scene(async all => {
      all.server.place = mongos('a:1');
      const session = start(all);
      await all.run(within(session));
      await abort(all, session);
      expect([all.server.pins, session.pin]).toEqual([[undefined, { address: 'a:1' }], undefined]);
    }),
  );

  test(
    'does not pin in a replica set',
    scene(async all => {
      const session = start(all);
      await all.run(within(session));
      expect(session.pin).toBeUndefined();
    }),
  );

  test(
    '"recoveryToken field": sends the newest token of the transaction with commit and abort',
    scene(async all => {
      all.server.place = mongos('a:1');
      const session = start(all);
      all.server.replies.push(
        { ok: 1, recoveryToken: { at: 1 } },
        { ok: 1, recoveryToken: { at: 2 } },
        { ok: 0, recoveryToken: { at: 3 } },
      );
      await all.run(within(session));
      await all.run(within(session));
      await failureOf(all.run(within(session)));
      all.server.replies.push({ ok: 1, recoveryToken: { at: 4 } });
      await commit(all, session);
      await commit(all, session);
      session.startTransaction({});
      all.server.replies.push({ ok: 1 });
      await all.run(within(session));
      await abort(all, session);
      expect(sent(all).map(({ recoveryToken }) => recoveryToken as unknown)).toEqual([
        ...[undefined, undefined, undefined],
        ...[{ at: 2 }, { at: 4 }],
        ...[undefined, undefined],
      ]);
    }),
  );
});

describe('Load Balancers, "Connection Pinning"', () => {
  const leased = (owes?: Promise<boolean>) => {
    const log: string[] = [];
    const lease = {
      connection: {
        detach: (error: MongoError) => {
          log.push(`detached: ${error.kind}`);
          return owes ?? true;
        },
      } as unknown as Connection,
      generation: 1,
      hold: by => log.push(`held by ${by}`),
      release: () => log.push('released'),
    } satisfies Lease;
    const place: Place = { topology: 'LoadBalanced', type: 'LoadBalancer', timeout: null, lease };
    return { log, lease, place };
  };

  test(
    'keeps the connection of its first command until the next operation outside of the transaction',
    scene(async all => {
      const { log, lease, place } = leased();
      all.server.place = place;
      const session = start(all);
      await all.run(within(session));
      await all.run(within(session));
      await commit(all, session);
      expect(all.server.pins).toEqual([undefined, { lease }, { lease }]);
      expect(log).toEqual(['held by transaction']);
      session.end();
      expect(log).toEqual(['held by transaction', 'released']);
    }),
  );

  test(
    'releases the connection only after the reply of the running command',
    scene(async all => {
      const { log, place } = leased();
      all.server.place = place;
      const session = start(all);
      await all.run(within(session));
      all.server.meanwhile = () => all.clock.sleep(5);
      const committing = commit(all, session);
      await all.clock.sleep(1);
      session.end();
      expect(log).toEqual(['held by transaction']);
      await committing;
      await all.clock.sleep(0);
      expect(log).toEqual(['held by transaction', 'released']);
    }),
  );

  test(
    'holds the connection once if the first command is retried',
    scene(async all => {
      const { log, place } = leased();
      all.server.place = place;
      all.server.replies.push(overloaded);
      await all.sessions.layer(again(all.server.dispatch))(within(start(all)));
      expect([all.server.sent.length, log]).toEqual([2, ['held by transaction']]);
    }),
  );

  test(
    'releases a connection with an outstanding reply after the reply has arrived',
    scene(async all => {
      let answer = (_came: boolean): void => undefined;
      const { log, place } = leased(new Promise(resolve => (answer = resolve)));
      all.server.place = place;
      const session = start(all);
      await all.run(within(session));
      all.server.failure = new MongoError('timeout', 'late', { origin: { phase: 'command', sent: true } });
      await failureOf(all.run(within(session)));
      expect([session.pin, log]).toEqual([undefined, ['held by transaction', 'detached: timeout']]);
      answer(true);
      await all.clock.sleep(0);
      expect(log.at(-1)).toBe('released');
    }),
  );

  test(
    'runs the next operation after a killCursors on the connection has ended',
    scene(async all => {
      const { place } = leased();
      all.server.place = place;
      const session = start(all);
      await all.run(within(session));
      const order: string[] = [];
      all.server.meanwhile = async ({ operation }) => {
        order.push(`${operation.name} sent`);
        await all.clock.sleep(operation.name === 'killCursors' ? 50 : 1);
        order.push(`${operation.name} answered`);
      };
      const killed = all.run(within(session, killCursors));
      await Promise.all([killed, all.run(within(session))]);
      await all.run(within(session));
      const find = ['find sent', 'find answered'];
      expect(order).toEqual(['killCursors sent', 'killCursors answered', ...find, ...find]);
    }),
  );
});

import { MongoError } from '@tessera/contracts';
import type { Document, Operation, OperationRole, Session } from '@tessera/contracts';
import { Binary, Long, Timestamp } from 'bson';
import { describe, expect, test } from 'vitest';
import { bson } from '@tessera/bson';
import { createSessions } from '../src/index.js';
import {
  attemptAt,
  createServer,
  failureOf,
  getMore,
  idOf,
  insert,
  operation,
  request,
  scene,
  world,
} from './scripted.js';
import { clusterTime, timeIn, replyAt } from './times.js';
import type { Place } from './scripted.js';

const minute = 60_000;
const standalone: Place = { topology: 'Single', type: 'Standalone' };
const lost = (sent = true): MongoError => new MongoError('network', 'reset', { origin: { phase: 'command', sent } });

const numberOf = (command: Document | undefined): unknown => command?.['txnNumber'] as unknown;
describe('Driver Sessions, "Sending the session ID to the server on all commands"', () => {
  test(
    'adds an implicit session, a version 4 UUID of binary subtype 4, to an operation without one',
    scene(async ({ run, server }) => {
      expect(await run(request())).toBe('done');
      const { id } = server.sent[0]!['lsid'] as { readonly id: Binary };
      expect(id.sub_type).toBe(4);
      expect(idOf(server.sent[0])).toMatch(/^[0-9a-f]{12}4[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
      expect(Object.keys(server.sent[0] ?? {})).toEqual(['find', 'lsid']);
    }),
  );

  test(
    'sends none to servers without session support, and rejects an explicit session there',
    scene(async ({ run, server, sessions }) => {
      server.place = { timeout: null };
      await run(request());
      expect(server.sent[0]).toEqual({ find: 1 });
      const error = await failureOf(run(request({}, { session: sessions.start() })));
      expect(error.kind).toBe('usage');
      expect(error.message).toContain('the server at a:27017 does not support sessions');
    }),
  );

  test(
    'always supports sessions behind a load balancer',
    scene(async ({ run, server }) => {
      server.place = { topology: 'LoadBalanced', type: 'LoadBalancer', timeout: null };
      await run(request(insert));
      expect(idOf(server.sent[0])).toBeDefined();
      expect(numberOf(server.sent[0])).toEqual(Long.fromNumber(1));
    }),
  );

  test(
    'sends none with an unacknowledged write, and rejects it in an explicit session',
    scene(async ({ run, server, sessions }) => {
      server.reply = replyAt(5);
      await run(request());
      await run(request({ ...insert, answer: 'none' }));
      expect(Object.keys(server.sent[1] ?? {})).toEqual(['find', '$clusterTime']);
      const error = await failureOf(run(request({ ...insert, answer: 'none' }, { session: sessions.start() })));
      expect([error.kind, server.sent.length]).toEqual(['usage', 2]);
      expect(error.message).toContain('unacknowledged');
    }),
  );

  test(
    'sends no cluster time with an unacknowledged write to a standalone',
    scene(async ({ run, server }) => {
      server.reply = replyAt(5);
      await run(request());
      server.place = standalone;
      await run(request({ ...insert, answer: 'none' }));
      expect(Object.keys(server.sent[1] ?? {})).toEqual(['find']);
    }),
  );

  test(
    'sends none with an unacknowledged write in the session of a cursor',
    scene(async ({ run, server, sessions }) => {
      await run(request({ ...insert, answer: 'none' }, { session: sessions.implicit() }));
      expect(server.sent).toEqual([{ find: 1 }]);
    }),
  );

  test(
    'an unused session is not dirty and has txnNumber 0',
    scene(async ({ sessions }) => {
      const session = sessions.start();
      expect([session.dirty, session.txnNumber, session.pin, session.snapshotTime]).toEqual([
        false,
        0,
        undefined,
        undefined,
      ]);
      expect(session.nextTxnNumber()).toBe(1);
      expect(session.txnNumber).toBe(1);
    }),
  );

  test(
    'rejects a session that has ended or belongs to another client',
    scene(async ({ run, sessions, server }) => {
      const session = sessions.start();
      session.end();
      expect((await failureOf(run(request({}, { session })))).message).toContain('has ended');
      const others = createSessions({ bson, ...world().runtime });
      const foreign = await failureOf(run(request({}, { session: others.start() })));
      expect([foreign.kind, server.sent]).toEqual(['usage', []]);
      expect(foreign.message).toContain('another client');
    }),
  );

  test(
    'does not change the request, and adds its exchange after the existing ones',
    scene(async ({ sessions }) => {
      const seen: unknown[] = [];
      const first = { append: () => undefined, received: () => undefined };
      const given = Object.freeze(request({}, { exchanges: Object.freeze([first]) }));
      await sessions.layer(async inner => {
        seen.push(inner);
        return 'done' as never;
      })(given);
      expect(seen).toEqual([
        { ...given, session: expect.anything() as Session, exchanges: [first, expect.anything()] },
      ]);
      expect(given.exchanges).toEqual([first]);
    }),
  );

  test(
    'another implementation of Session appends its own elements',
    scene(async ({ run, server }) => {
      const session: Session = {
        pin: undefined,
        inTransaction: false,
        append: writer => {
          writer.int32('mine', 1);
        },
        received: () => undefined,
        readConcern: () => ({ level: 'local' }),
        writeConcern: ({ writeConcern }) => writeConcern,
        failed: () => undefined,
        end: () => undefined,
      };
      await run(request({ writeConcern: { w: 1 } }, { session }));
      expect(server.sent).toEqual([{ find: 1, readConcern: { level: 'local' }, writeConcern: { w: 1 }, mine: 1 }]);
    }),
  );
});

describe('Driver Sessions, "Server Session Pool"', () => {
  test(
    'Driver Sessions, prose test 2: takes the most recently returned session first',
    scene(async ({ run, server, sessions }) => {
      const [a, b] = [sessions.start(), sessions.start()];
      await run(request({}, { session: a }));
      await run(request({}, { session: b }));
      const [first, second] = server.sent.map(idOf);
      expect(first).not.toBe(second);
      a.end();
      b.end();
      const [c, d] = [sessions.start(), sessions.start()];
      await run(request({}, { session: c }));
      await run(request({}, { session: d }));
      expect(server.sent.slice(2).map(idOf)).toEqual([second, first]);
    }),
  );

  test(
    'returns an implicit session when its operation has ended, also after a failure',
    scene(async ({ run, server }) => {
      await run(request());
      server.reply = { ok: 0 };
      await failureOf(run(request()));
      server.reply = { ok: 1 };
      await run(request());
      expect(new Set(server.sent.map(idOf)).size).toBe(1);
    }),
  );

  test(
    'takes a server session for an implicit session only after a connection is checked out',
    scene(async ({ sessions, server }) => {
      const failing = sessions.layer(() => Promise.reject(new MongoError('selection', 'none')));
      await failureOf(failing(request()));
      expect(sessions.close()).toEqual([]);
      expect(server.sent).toEqual([]);
    }),
  );

  test(
    'uses different sessions for concurrent operations',
    scene(async ({ run, server, clock }) => {
      server.meanwhile = () => clock.sleep(10);
      await Promise.all([run(request()), run(request()), run(request())]);
      expect(new Set(server.sent.map(idOf)).size).toBe(3);
    }),
  );

  test(
    'does not reuse a session that expires within a minute',
    scene(async ({ run, server, clock }) => {
      await run(request());
      await clock.sleep(29 * minute);
      await run(request());
      await clock.sleep(29 * minute + 1);
      await run(request());
      const [first, second, third] = server.sent.map(idOf);
      expect([second === first, third === first]).toEqual([true, false]);
    }),
  );

  test(
    'uses the smallest timeout of all servers',
    scene(async ({ run, server, clock }) => {
      server.place = { timeout: 3 };
      await run(request());
      server.place = { timeout: 30 };
      await run(request());
      await clock.sleep(2 * minute + 1);
      await run(request());
      const [first, second, third] = server.sent.map(idOf);
      expect([second === first, third === first]).toEqual([true, false]);
    }),
  );

  test(
    'discards the oldest expiring sessions when a session is returned',
    scene(async ({ sessions, run, clock }) => {
      const [old, young] = [sessions.start(), sessions.start()];
      await run(request({}, { session: old }));
      old.end();
      await run(request({}, { session: young }));
      await clock.sleep(29 * minute + 1);
      await run(request({}, { session: young }));
      young.end();
      expect(sessions.close()).toEqual([[young.id]]);
    }),
  );

  test(
    'does not expire sessions behind a load balancer',
    scene(async ({ run, server, clock }) => {
      server.place = { topology: 'LoadBalanced', type: 'LoadBalancer' };
      await run(request());
      await clock.sleep(1000 * minute);
      await run(request());
      expect(new Set(server.sent.map(idOf)).size).toBe(1);
    }),
  );

  test(
    'keeps the implicit session of a cursor until the cursor ends it',
    scene(async ({ run, server, sessions }) => {
      const session = sessions.implicit();
      await run(request({}, { session }));
      await run(request());
      await run(request(getMore, { session }));
      session.end();
      session.end();
      await run(request());
      const [find, other, more, last] = server.sent.map(idOf);
      expect([more === find, other === find, last === find]).toEqual([true, false, true]);
    }),
  );

  test(
    'endSessions: includes the session of an open cursor, whose later commands are rejected',
    scene(async ({ run, server, sessions }) => {
      const [open, done] = [sessions.implicit(), sessions.implicit()];
      for (const session of [open, done]) await run(request({}, { session }));
      done.end();
      const [batch] = sessions.close();
      expect(batch).toEqual([server.sent[1], server.sent[0]].map(sent => sent?.['lsid'] as unknown));
      const error = await failureOf(run(request(getMore, { session: open })));
      expect([error.kind, server.sent.length]).toEqual(['closed', 2]);
    }),
  );

  test('endSessions: includes every id once, and later sessions are not pooled', async () => {
    const sessions = createSessions({ bson, ...world().runtime });
    const started = [sessions.start(), sessions.start()];
    const ids = started.map(session => session.id);
    started[0]?.end();
    expect(sessions.close()).toEqual([ids]);
    expect(started.map(session => session.hasEnded)).toEqual([true, true]);
    expect(sessions.close()).toEqual([]);
    await sessions.layer(createServer().dispatch)(request());
    expect(sessions.close()).toEqual([]);
  });
});

describe('Driver Sessions, dirty sessions', () => {
  test(
    'uses a session further after a network error, also for the retry, then discards it',
    scene(async ({ run, server, sessions }) => {
      const session = sessions.start();
      server.failure = lost();
      await failureOf(run(request({}, { session })));
      expect(session.dirty).toBe(true);
      await run(request({}, { session }));
      expect(session.dirty).toBe(true);
      session.end();
      await run(request());
      const [first, second, third] = server.sent.map(idOf);
      expect([second === first, third === first]).toEqual([true, false]);
      expect(sessions.close()).toHaveLength(1);
    }),
  );

  test(
    'endSessions includes a discarded session if its lost reply may contain a cursor, until the session expires',
    scene(async ({ run, server, sessions, clock }) => {
      const discard = async (role: OperationRole | undefined): Promise<Document> => {
        const session = sessions.start();
        server.failure = lost();
        await failureOf(run(request({ role }, { session })));
        await run(request({}, { session }));
        session.end();
        return session.id;
      };
      await discard('opensCursor');
      await clock.sleep(29 * minute + 1);
      const named = [await discard('opensCursor'), await discard('continuesCursor'), await discard('killsCursor')];
      await discard('commitsTransaction');
      await discard(undefined);
      expect(sessions.close()).toEqual([named]);
    }),
  );

  test(
    'discards a session after a timeout or an abort, because its command may still run',
    scene(async ({ run, server, sessions }) => {
      for (const kind of ['timeout', 'aborted', 'pool'] as const) {
        const session = sessions.start();
        server.failure = new MongoError(kind, 'given up', { origin: { phase: 'command', sent: true } });
        await failureOf(run(request({}, { session })));
        expect(session.dirty).toBe(true);
      }
    }),
  );

  test(
    'does not mark a session dirty if the command was not sent or got a reply',
    scene(async ({ run, server, sessions }) => {
      const session = sessions.start();
      server.failure = lost(false);
      await failureOf(run(request({}, { session })));
      server.reply = { ok: 0 };
      await failureOf(run(request({}, { session })));
      expect(session.dirty).toBe(false);
    }),
  );

  test(
    'does not mark a session dirty after a failed handshake',
    scene(async ({ run, server, sessions }) => {
      const session = sessions.start();
      await run(request({}, { session }));
      server.failure = new MongoError('network', 'no hello', { origin: { phase: 'hello', sent: true } });
      await failureOf(run(request({}, { session })));
      expect(session.dirty).toBe(false);
    }),
  );
});

describe('Retryable Writes, "Generating Transaction IDs"', () => {
  test(
    'increments the int64 txnNumber of the server session for each retryable write',
    scene(async ({ run, server, sessions }) => {
      const session = sessions.start();
      for (let n = 0; n < 2; n++) await run(request(insert, { session }));
      session.end();
      await run(request(insert));
      expect(server.sent.map(numberOf)).toEqual([1, 2, 3].map(n => Long.fromNumber(n)));
      expect(new Set(server.sent.map(idOf)).size).toBe(1);
      expect(Object.keys(server.sent[0] ?? {})).toEqual(['find', 'lsid', 'txnNumber']);
    }),
  );

  test(
    'uses the same session and txnNumber for all attempts of a write',
    scene(async ({ sessions, server }) => {
      // A retry layer below the session layer.
      const twice = sessions.layer(inner => {
        server.failure = lost();
        return server.dispatch(inner).catch((error: unknown) => {
          expect(error).toBeInstanceOf(MongoError);
          return server.dispatch({ ...inner, failures: [error as MongoError] });
        });
      });
      await twice(request(insert));
      await twice(request(insert));
      expect(server.sent.map(numberOf)).toEqual([1, 1, 1, 1].map(n => Long.fromNumber(n)));
      const [first, second, third, fourth] = server.sent.map(idOf);
      expect([second === first, fourth === third, third === first]).toEqual([true, true, false]);
    }),
  );

  test(
    'sends none to standalones and servers without sessions, nor with other writes, reads and user commands',
    scene(async ({ run, server }) => {
      server.place = standalone;
      await run(request(insert));
      server.place = {};
      await run(request({ ...insert, retryable: false }));
      await run(request());
      await run(request({ kind: 'either' }));
      server.place = { timeout: null };
      await run(request(insert));
      expect(server.sent.map(numberOf)).toEqual(Array(5).fill(undefined));
    }),
  );

  test(
    'sends none with retryWrites: false',
    scene(
      async ({ run, server }) => {
        await run(request(insert));
        expect(Object.keys(server.sent[0] ?? {})).toEqual(['find', 'lsid']);
      },
      { retryWrites: false },
    ),
  );

  test(
    'returns an implicit session with the reply, before the connection, unless the write may be retried',
    scene(async ({ run, sessions, server }) => {
      const meanwhile = sessions.layer(async inner => {
        try {
          return await server.dispatch(inner);
        } finally {
          await run(request());
        }
      });
      await meanwhile(request(insert));
      server.reply = { ok: 1, writeConcernError: { code: 91 } };
      const unsafe = new MongoError('server', 'not replicated', { code: 91 });
      const failing = {
        ...insert,
        read: (): never => {
          throw unsafe;
        },
      };
      await expect(meanwhile(request(failing))).rejects.toBe(unsafe);
      await run(request());
      const [first, second, third, fourth, fifth] = server.sent.map(idOf);
      expect([second === first, fourth === third, fifth === third]).toEqual([true, false, true]);
    }),
  );

  test(
    'returns an implicit session after a reply whose write concern error is part of the result',
    scene(async ({ run, server }) => {
      server.reply = { ok: 1, writeConcernError: { code: 91 } };
      await run(request(insert));
      await run(request());
      const [first, second] = server.sent.map(idOf);
      expect(second).toBe(first);
    }),
  );

  test(
    'rejects a retry on a server without support for retryable writes',
    scene(async ({ sessions, server }) => {
      const twice = sessions.layer(async inner => {
        server.failure = lost();
        await server.dispatch(inner).catch(() => undefined);
        server.place = standalone;
        return server.dispatch(inner);
      });
      const error = await failureOf(twice(request(insert)));
      expect([error.kind, server.sent.length]).toEqual(['usage', 1]);
      expect(error.message).toContain('does not support retryable writes');
    }),
  );
});

describe('Driver Sessions, "Gossipping the cluster time"', () => {
  test(
    'sends the highest received time, byte for byte, to all servers except standalones',
    scene(async ({ run, server }) => {
      server.reply = replyAt(10, 2);
      await run(request());
      server.reply = replyAt(10, 1);
      await run(request());
      server.reply = replyAt(11, 0);
      await run(request());
      server.place = standalone;
      await run(request());
      server.place = {};
      await run(request());
      expect(server.sent.map(timeIn)).toEqual([
        undefined,
        new Timestamp({ t: 10, i: 2 }),
        new Timestamp({ t: 10, i: 2 }),
        undefined,
        new Timestamp({ t: 11, i: 0 }),
      ]);
      expect(server.sent[1]?.['$clusterTime']).toEqual(clusterTime(10, 2));
    }),
  );

  test(
    'reads the time of error replies',
    scene(async ({ run, server }) => {
      server.reply = { ...replyAt(10), ok: 0 };
      await failureOf(run(request()));
      server.reply = { ok: 1 };
      await run(request());
      expect(timeIn(server.sent[1])).toEqual(new Timestamp({ t: 10, i: 1 }));
    }),
  );

  test(
    'sends the greater time of session and client; a time passed to advanceClusterTime affects only its session',
    scene(async ({ run, server, sessions }) => {
      server.reply = replyAt(10);
      await run(request());
      server.reply = { ok: 1 };
      const session = sessions.start();
      expect(session.clusterTime).toBeUndefined();
      session.advanceClusterTime(clusterTime(20));
      session.advanceClusterTime(clusterTime(15));
      expect(session.clusterTime).toEqual(clusterTime(20));
      await run(request({}, { session }));
      await run(request());
      server.reply = replyAt(30);
      await run(request());
      await run(request({}, { session }));
      expect(server.sent.slice(1).map(timeIn)).toEqual(
        [20, 10, 10, 30].map(seconds => new Timestamp({ t: seconds, i: 1 })),
      );
      expect(session.clusterTime).toEqual(clusterTime(30));
    }),
  );

  test(
    'updates the time of a session from replies, also if the client has a newer one',
    scene(async ({ run, server, sessions }) => {
      server.reply = replyAt(10);
      await run(request());
      server.reply = replyAt(5);
      const session = sessions.start();
      await run(request({}, { session }));
      expect(session.clusterTime).toEqual(clusterTime(5));
    }),
  );

  test(
    'a cluster time after 2038 is newer than one before',
    scene(async ({ run, server, sessions }) => {
      server.reply = replyAt(2_147_483_647);
      await run(request());
      server.reply = replyAt(2_147_483_648);
      await run(request());
      server.reply = replyAt(4_000_000_000);
      await run(request());
      await run(request());
      expect(server.sent.slice(1).map(timeIn)).toEqual(
        [2_147_483_647, 2_147_483_648, 4_000_000_000].map(t => new Timestamp({ t, i: 1 })),
      );
      const session = sessions.start();
      session.advanceClusterTime(clusterTime(2_147_483_648));
      session.advanceClusterTime(clusterTime(2_147_483_647));
      expect(session.clusterTime).toEqual(clusterTime(2_147_483_648));
    }),
  );

  test('a cluster time after 2038 is newer than one before, also if its codec reads the 64 bits as signed', () => {
    const session = createSessions({ bson, ...world().runtime }).start();
    const signed = (seconds: number): Document => {
      const given = clusterTime(seconds);
      const timestamp = given['clusterTime'] as Timestamp;
      const bits = BigInt.asIntN(64, timestamp.toBigInt());
      return { ...given, clusterTime: Object.assign(timestamp, { toBigInt: () => bits }) };
    };
    const [before, after] = [signed(2_147_483_647), signed(2_147_483_648)];
    session.advanceClusterTime(before);
    session.advanceClusterTime(after);
    session.advanceClusterTime(before);
    expect(session.clusterTime).toBe(after);
  });

  test('advanceClusterTime rejects an invalid cluster time', () => {
    const session = createSessions({ bson, ...world().runtime }).start();
    for (const wrong of [{}, { clusterTime: 1 }, { clusterTime: new Date() }])
      expect(() => {
        session.advanceClusterTime(wrong);
      }).toThrow('A cluster time must be a document');
  });
});

describe('Causal Consistency', () => {
  const concern = (session: Session, own: Operation<unknown>['readConcern'], place: Place = {}): unknown =>
    session.readConcern(operation({ readConcern: own }), attemptAt(place, request()));

  test(
    'Causal Consistency, prose tests 1 to 3: has no operation time at first, and reads it from every reply, also from errors',
    scene(async ({ run, server, sessions }) => {
      const session = sessions.start();
      expect([session.operationTime, concern(session, undefined)]).toEqual([undefined, undefined]);
      server.reply = { ...replyAt(10), ok: 0 };
      await failureOf(run(request({}, { session })));
      expect(session.operationTime).toEqual(new Timestamp({ t: 10, i: 1 }));
    }),
  );

  test(
    'Causal Consistency, prose tests 4, 5, 7 to 9: adds afterClusterTime to the read concern of the operation and keeps its level',
    scene(async ({ run, server, sessions }) => {
      const session = sessions.start();
      server.reply = replyAt(10);
      await run(request({}, { session }));
      const afterClusterTime = new Timestamp({ t: 10, i: 1 });
      expect(concern(session, undefined)).toEqual({ afterClusterTime });
      expect(concern(session, {})).toEqual({ afterClusterTime });
      expect(concern(session, { level: 'majority' })).toEqual({ level: 'majority', afterClusterTime });
      expect(concern(session, { level: 'majority' }, standalone)).toEqual({ level: 'majority' });
      expect(concern(session, 'none')).toBe('none');
      const own = operation({ kind: 'either', readConcern: { level: 'local' } });
      expect(session.readConcern(own, attemptAt({}, request()))).toEqual({ level: 'local' });
    }),
  );

  test(
    'Causal Consistency, prose test 6: explicit sessions are causally consistent by default, implicit sessions are not',
    scene(async ({ run, server, sessions }) => {
      server.reply = replyAt(10);
      const [consistent, other, implicit] = [
        sessions.start(),
        sessions.start({ causalConsistency: false }),
        sessions.implicit(),
      ];
      for (const session of [consistent, other, implicit]) await run(request({}, { session }));
      expect([consistent.causalConsistency, other.causalConsistency]).toEqual([true, false]);
      expect(concern(other, { level: 'local' })).toEqual({ level: 'local' });
      expect(concern(implicit, undefined)).toBeUndefined();
      expect(other.operationTime).toEqual(new Timestamp({ t: 10, i: 1 }));
    }),
  );

  test('advanceOperationTime ignores an older time', () => {
    const session = createSessions({ bson, ...world().runtime }).start();
    session.advanceOperationTime(new Timestamp({ t: 10, i: 5 }));
    session.advanceOperationTime(new Timestamp({ t: 10, i: 4 }));
    expect(session.operationTime).toEqual(new Timestamp({ t: 10, i: 5 }));
    session.advanceOperationTime(new Timestamp({ t: 0xf0000000, i: 1 }));
    expect(session.operationTime).toEqual(new Timestamp({ t: 0xf0000000, i: 1 }));
  });
});

import { MongoError } from '@tessera/contracts';
import type { Connection, Lease } from '@tessera/contracts';
import { describe, expect, test } from 'vitest';
import { failureOf, request, scene } from './scripted.js';
import type { Scene } from './scripted.js';

/** A load balancer whose connection notes who holds it. */
const balanced = ({ server }: Scene): readonly string[] => {
  const log: string[] = [];
  const lease: Lease = {
    connection: { detach: () => true } as unknown as Connection,
    generation: 1,
    hold: by => log.push(`held by ${by}`),
    release: () => log.push('released'),
  };
  server.place = { topology: 'LoadBalanced', type: 'LoadBalancer', timeout: null, lease };
  return log;
};

describe('Load Balancers, "Connection Pinning": a transaction whose first command was not sent', () => {
  const failures = {
    'an exception that is no MongoError': new TypeError('toBSON failed'),
    'a MongoError': new MongoError('usage', 'The document is too large.', {
      origin: { phase: 'command', sent: false },
    }),
  };

  for (const [title, failure] of Object.entries(failures))
    test(
      `returns its connection after ${title}, and the next command pins another`,
      scene(async all => {
        const log = balanced(all);
        const session = all.sessions.start();
        session.startTransaction({});
        all.server.meanwhile = () => Promise.reject(failure);
        const first = all.run(request({}, { session })).catch((error: unknown) => error);
        expect(await first).toBe(failure);
        expect([session.pin, session.transaction.is]).toEqual([undefined, 'starting']);
        expect(log).toEqual(['held by transaction', 'released']);
        all.server.meanwhile = () => undefined;
        await all.run(request({}, { session }));
        expect(log).toEqual(['held by transaction', 'released', 'held by transaction']);
        expect(all.server.sent.map(({ startTransaction }) => startTransaction as unknown)).toEqual([true, true]);
      }),
    );

  test(
    'keeps its connection if a later command was not sent',
    scene(async all => {
      const log = balanced(all);
      const session = all.sessions.start();
      session.startTransaction({});
      await all.run(request({}, { session }));
      all.server.meanwhile = () => Promise.reject(failures['an exception that is no MongoError']);
      await all.run(request({}, { session })).catch(() => undefined);
      expect([session.pin === undefined, session.transaction.is, log]).toEqual([
        ...[false, 'in progress'],
        ['held by transaction'],
      ]);
    }),
  );
});

describe('operations in line when the client is closed', () => {
  test(
    'fail because the client is closed',
    scene(async ({ run, sessions, server, clock }) => {
      const session = sessions.start();
      session.startTransaction({});
      server.meanwhile = () => clock.sleep(5);
      const first = run(request({ name: 'insert' }, { session }));
      const second = failureOf(run(request({ name: 'update' }, { session })));
      sessions.close();
      await first;
      const { kind, message } = await second;
      expect([kind, message]).toEqual(['closed', 'client is closed; update was not sent.']);
      expect(() => session.commitTransaction()).toThrow('client is closed; commitTransaction was not sent.');
    }),
  );

  test(
    'fail because the session has ended if the program ended it before',
    scene(async ({ run, sessions, server, clock }) => {
      const session = sessions.start();
      session.startTransaction({});
      server.meanwhile = () => clock.sleep(5);
      const first = run(request({ name: 'insert' }, { session }));
      const second = failureOf(run(request({ name: 'update' }, { session })));
      session.end();
      expect(() => session.commitTransaction()).toThrow('commitTransaction was given a session that has ended');
      await first;
      expect((await second).message).toMatch('update was given a session that has ended');
    }),
  );
});

describe('a commit behind operations in line', () => {
  test(
    'waits for them no longer than its deadline, and the transaction goes on',
    scene(async ({ run, sessions, server, clock }) => {
      const session = sessions.start();
      session.startTransaction({});
      server.meanwhile = () => clock.sleep(50);
      const operations = ['insert', 'update'].map(name => run(request({ name }, { session })));
      const turn = session.turn(clock.now() + 20);
      if (turn === undefined) throw new Error('nothing is in line');
      const { kind, message } = await failureOf(turn);
      expect([kind, message, clock.now()]).toEqual([
        'timeout',
        'commitTransaction ran out of time while it waited for an earlier operation of its transaction.',
        20,
      ]);
      expect(await Promise.all(operations)).toEqual(['done', 'done']);
      await session.idle();
      expect([session.transaction.is, session.turn(clock.now() + 20)]).toEqual(['in progress', undefined]);
    }),
  );
});

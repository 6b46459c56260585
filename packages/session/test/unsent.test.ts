import { MongoError } from '@tessera/contracts';
import type { Connection, Lease } from '@tessera/contracts';
import { describe, expect, test } from 'vitest';
import { failureOf, request, scene } from './scripted.js';
import type { Scene } from './scripted.js';

/** A load balancer whose connection records its holders. */
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
    'an error that is not a MongoError': new TypeError('toBSON failed'),
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
      all.server.meanwhile = () => Promise.reject(failures['an error that is not a MongoError']);
      await all.run(request({}, { session })).catch(() => undefined);
      expect([session.pin === undefined, session.transaction.is, log]).toEqual([
        ...[false, 'in progress'],
        ['held by transaction'],
      ]);
    }),
  );
});

describe('queued operations when the client closes', () => {
  test(
    'fail with kind closed',
    scene(async ({ run, sessions, server, clock }) => {
      const session = sessions.start();
      session.startTransaction({});
      server.meanwhile = () => clock.sleep(5);
      const first = run(request({ name: 'insert' }, { session }));
      const second = failureOf(run(request({ name: 'update' }, { session })));
      sessions.close();
      await first;
      const { kind, message } = await second;
      expect([kind, message]).toEqual(['closed', 'The client is closed, so update was not sent.']);
      expect(() => session.commitTransaction()).toThrow('The client is closed, so commitTransaction was not sent.');
    }),
  );

  test(
    'fail because the session has ended if the session was ended before',
    scene(async ({ run, sessions, server, clock }) => {
      const session = sessions.start();
      session.startTransaction({});
      server.meanwhile = () => clock.sleep(5);
      const first = run(request({ name: 'insert' }, { session }));
      const second = failureOf(run(request({ name: 'update' }, { session })));
      session.end();
      expect(() => session.commitTransaction()).toThrow('commitTransaction cannot use a session that has ended');
      await first;
      expect((await second).message).toMatch('update cannot use a session that has ended');
    }),
  );
});

describe('a commit behind queued operations', () => {
  test(
    'waits for them until its deadline, after which the transaction continues',
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
        'commitTransaction timed out while it waited for an earlier operation of its transaction.',
        20,
      ]);
      expect(await Promise.all(operations)).toEqual(['done', 'done']);
      await session.idle();
      expect([session.transaction.is, session.turn(clock.now() + 20)]).toEqual(['in progress', undefined]);
    }),
  );
});

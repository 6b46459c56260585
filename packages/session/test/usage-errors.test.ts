import { describe, expect, test } from 'vitest';
import { firstOutside, takeCallSite } from '../src/call-site.js';
import { failureOf, request, scene } from './scripted.js';
import type { ScriptedServer } from './scripted.js';

/** The options to reject parallel operations. */
const strict = { parallelTransactionOperations: 'fail' } as const;

describe('a session in use', () => {
  test(
    'rejects a parallel operation of a transaction with its call site, and from the second time on with both call sites',
    scene(async ({ run, sessions, server, clock }) => {
      const session = sessions.start();
      session.startTransaction({});
      server.meanwhile = () => clock.sleep(5);
      const unnoted = run(request({ name: 'insert' }, { session }));
      const firstLines = (await failureOf(run(request({ name: 'update' }, { session })))).message.split('\n');
      expect(firstLines[1]).toBe(
        '  running: insert (call sites are recorded from now on, and always with NODE_ENV=development)',
      );
      expect(firstLines[2]).toMatch(/^ {2}rejected: update at .*usage-errors\.test\.ts:\d+:\d+\)?$/);
      await unnoted;
      const first = run(request({ name: 'insert' }, { session }));
      const error = await failureOf(run(request({ name: 'update' }, { session })));
      expect(error.kind).toBe('usage');
      const lines = error.message.split('\n');
      expect(lines[0]).toBe(
        'update was called while insert of the same transaction was running. Await each operation before the next.',
      );
      expect(lines[1]).toMatch(/^ {2}running: insert at .*usage-errors\.test\.ts:\d+:\d+\)?$/);
      expect(lines[2]).toMatch(/^ {2}rejected: update at .*usage-errors\.test\.ts:\d+:\d+\)?$/);
      expect(await first).toBe('done');
      expect(await run(request({}, { session }))).toBe('done');
      expect(server.sent.length).toBe(3);
    }, strict),
  );

  test(
    'reports both call sites in the first error in development',
    scene(
      async ({ run, sessions, server, clock }) => {
        const session = sessions.start();
        session.startTransaction({});
        server.meanwhile = () => clock.sleep(5);
        const first = run(request({ name: 'insert' }, { session }));
        const { message } = await failureOf(run(request({ name: 'update' }, { session })));
        expect(message).toMatch(/running: insert at .*usage-errors\.test\.ts:\d+:\d+\)?\n {2}rejected: update at /);
        await first;
      },
      strict,
      { NODE_ENV: 'development' },
    ),
  );

  test(
    'rejects a parallel commit and start, but lets an abort wait',
    scene(async ({ run, sessions, server, clock }) => {
      const session = sessions.start();
      expect(session.idle()).toBeUndefined();
      session.startTransaction({});
      server.meanwhile = () => clock.sleep(5);
      server.replies.push({ ok: 0, code: 1 });
      const first = failureOf(run(request({}, { session })));
      expect(() => session.commitTransaction()).toThrow(/^commitTransaction was called while find/);
      expect(() => {
        session.startTransaction({});
      }).toThrow(/^startTransaction was called while find/);
      await session.idle();
      expect(session.transaction.is).toBe('in progress');
      await first;
      expect(session.idle()).toBeUndefined();
    }, strict),
  );

  test(
    'allows parallel operations outside of a transaction',
    scene(async ({ run, sessions, server }) => {
      const session = sessions.start();
      await Promise.all([run(request({}, { session })), run(request({}, { session }))]);
      expect(server.sent.length).toBe(2);
    }),
  );
});

/** Records the names of the operations that reach the server. Each lasts as long as `wait`. */
const noted = (server: ScriptedServer, wait: () => Promise<void>): readonly string[] => {
  const names: string[] = [];
  server.meanwhile = ({ operation }) => {
    names.push(operation.name);
    return wait();
  };
  return names;
};

describe('operations of one transaction that are called in parallel', () => {
  test(
    'are sent one after another, in the order of the calls',
    scene(async ({ run, sessions, server, clock }) => {
      const session = sessions.start();
      session.startTransaction({});
      const log: string[] = [];
      server.meanwhile = async ({ operation }) => {
        log.push(`${operation.name} begins`);
        await clock.sleep(5);
        log.push(`${operation.name} ends`);
      };
      const results = ['insert', 'update', 'find'].map(name => run(request({ name }, { session })));
      expect(await Promise.all(results)).toEqual(['done', 'done', 'done']);
      expect(log).toEqual([
        ...['insert begins', 'insert ends'],
        ...['update begins', 'update ends'],
        ...['find begins', 'find ends'],
      ]);
      await session.idle();
      expect(session.idle()).toBeUndefined();
    }),
  );

  test(
    'continue after an operation that fails',
    scene(async ({ run, sessions, server, clock }) => {
      const session = sessions.start();
      session.startTransaction({});
      const names = noted(server, () => clock.sleep(5));
      server.replies.push({ ok: 0, code: 1 });
      const first = failureOf(run(request({ name: 'insert' }, { session })));
      const second = run(request({ name: 'update' }, { session }));
      expect([(await first).code, await second]).toEqual([1, 'done']);
      expect(names).toEqual(['insert', 'update']);
    }),
  );

  test(
    'leave the queue at their deadline or when their signal aborts, and the others keep their order',
    scene(async ({ run, sessions, server, clock }) => {
      const session = sessions.start();
      session.startTransaction({});
      const names = noted(server, () => clock.sleep(50));
      const first = run(request({ name: 'insert' }, { session }));
      const late = failureOf(run(request({ name: 'update' }, { session, deadline: clock.now() + 10 })));
      const third = run(request({ name: 'find' }, { session }));
      const { kind, message } = await late;
      expect([kind, message]).toEqual([
        'timeout',
        'update timed out while it waited for an earlier operation of its transaction.',
      ]);
      expect(names).toEqual(['insert']);
      expect([await first, await third]).toEqual(['done', 'done']);
      expect(names).toEqual(['insert', 'find']);
    }),
  );

  test(
    'leave no timer if their signal throws, and the others keep their order',
    scene(async ({ run, sessions, server, clock }) => {
      const session = sessions.start();
      session.startTransaction({});
      const names = noted(server, () => clock.sleep(5));
      const first = run(request({ name: 'insert' }, { session }));
      const thrown = new TypeError('no listeners');
      const throwing = (): never => {
        throw thrown;
      };
      const passive = { aborted: false, reason: undefined, addEventListener: () => undefined };
      const deaf = { ...passive, addEventListener: throwing, removeEventListener: () => undefined };
      const clinging = { ...passive, removeEventListener: throwing };
      const deadline = clock.now() + 10_000;
      const second = run(request({ name: 'update' }, { session, deadline, signal: deaf })).catch(
        (error: unknown) => error,
      );
      const third = run(request({ name: 'find' }, { session, deadline, signal: clinging }));
      expect(await Promise.all([first, second, third])).toEqual(['done', thrown, 'done']);
      expect(names).toEqual(['insert', 'find']);
    }),
  );

  test(
    'are rejected if the transaction ends while they wait',
    scene(async ({ run, sessions, server, clock }) => {
      const session = sessions.start();
      session.startTransaction({});
      const names = noted(server, () => clock.sleep(5));
      const first = run(request({ name: 'insert' }, { session }));
      const second = failureOf(run(request({ name: 'update' }, { session })));
      session.abortTransaction();
      expect(await first).toBe('done');
      expect(await second).toMatchObject({
        kind: 'usage',
        message:
          'update was not sent: its transaction ended while it waited for an earlier operation. Await all operations before the commit or abort.',
      });
      expect(names).toEqual(['insert']);
    }),
  );

  test(
    'are rejected if the session ends while they wait',
    scene(async ({ run, sessions, server, clock }) => {
      const session = sessions.start();
      session.startTransaction({});
      const names = noted(server, () => clock.sleep(5));
      const first = run(request({ name: 'insert' }, { session }));
      const second = failureOf(run(request({ name: 'update' }, { session })));
      session.end();
      expect(await first).toBe('done');
      expect((await second).kind).toBe('usage');
      expect(names).toEqual(['insert']);
    }),
  );
});

describe('a call site', () => {
  test('is the first line of the stack outside of the driver', () => {
    const own = 'at take (file:///srv/tiles/session/dist/call-site.js:9:9)';
    const other = 'at insertOne (file:///srv/tiles/client/dist/collection.js:9:9)';
    const installed = 'at insertOne (/app/node_modules/@tessera/mongodb/dist/package.js:9:9)';
    const theirs = 'at createUser (file:///app/users.js:12:5)';
    const stack = (...lines: string[]) => ['Error', ...lines.map(line => `    ${line}`)].join('\n');
    expect(firstOutside(stack(own, other, theirs, 'at main (/app/main.js:1:1)'))).toBe(theirs);
    expect(firstOutside(stack(installed, installed, theirs))).toBe(theirs);
    expect(firstOutside(stack('at /app/node_modules/@tessera/session/dist/package.js:9:9', theirs))).toBe(theirs);
    expect(
      firstOutside(stack('at /srv/tiles/session/src/call-site.ts:9:9', 'at /srv/tiles/x/src/y.ts:1:2', theirs)),
    ).toBe(theirs);
  });

  test('is the outermost line if the program is one file, and unknown without a stack', () => {
    expect(firstOutside('Error\n    at a (/app/dist/all.js:1:1)\n    at b (/app/dist/all.js:2:1)')).toBe(
      'at b (/app/dist/all.js:2:1)',
    );
    expect(firstOutside('')).toBe('at an unknown place');
  });

  test('is found below many calls, and Error.stackTraceLimit is not changed', () => {
    const before = Error.stackTraceLimit;
    const deep = (left: number): string => (left === 0 ? takeCallSite().toString() : deep(left - 1));
    expect(deep(20)).toMatch(/^at /);
    expect(Error.stackTraceLimit).toBe(before);
  });
});

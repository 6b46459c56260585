import { describe, expect, test } from 'vitest';
import { firstOutside, takeCallSite } from '../src/call-site.js';
import { failureOf, request, scene } from './scripted.js';

describe('a session in use', () => {
  test(
    'a second operation of a transaction is refused, and its place told; once that has happened, the places of both',
    scene(async ({ run, sessions, server, clock }) => {
      const session = sessions.start();
      session.startTransaction({});
      server.meanwhile = () => clock.sleep(5);
      const unnoted = run(request({ name: 'insert' }, { session }));
      const told = (await failureOf(run(request({ name: 'update' }, { session })))).message.split('\n');
      expect(told[1]).toBe(
        '  under way: insert (where it was called is noted from now on, and always under NODE_ENV=development)',
      );
      expect(told[2]).toMatch(/^ {2}refused: update at .*misuse\.test\.ts:\d+:\d+\)?$/);
      await unnoted;
      const first = run(request({ name: 'insert' }, { session }));
      const error = await failureOf(run(request({ name: 'update' }, { session })));
      expect(error.kind).toBe('usage');
      const lines = error.message.split('\n');
      expect(lines[0]).toBe(
        'update was called while insert of the same transaction was under way; wait for the first before the second.',
      );
      expect(lines[1]).toMatch(/^ {2}under way: insert at .*misuse\.test\.ts:\d+:\d+\)?$/);
      expect(lines[2]).toMatch(/^ {2}refused: update at .*misuse\.test\.ts:\d+:\d+\)?$/);
      expect(await first).toBe('done');
      expect(await run(request({}, { session }))).toBe('done');
      expect(server.sent.length).toBe(3);
    }),
  );

  test(
    'in development the first error tells the places of both',
    scene(
      async ({ run, sessions, server, clock }) => {
        const session = sessions.start();
        session.startTransaction({});
        server.meanwhile = () => clock.sleep(5);
        const first = run(request({ name: 'insert' }, { session }));
        const { message } = await failureOf(run(request({ name: 'update' }, { session })));
        expect(message).toMatch(/under way: insert at .*misuse\.test\.ts:\d+:\d+\)?\n {2}refused: update at /);
        await first;
      },
      {},
      { NODE_ENV: 'development' },
    ),
  );

  test(
    'so is a commit, and a start; who aborts can wait',
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
    }),
  );

  test(
    'outside of a transaction nobody is refused',
    scene(async ({ run, sessions, server }) => {
      const session = sessions.start();
      await Promise.all([run(request({}, { session })), run(request({}, { session }))]);
      expect(server.sent.length).toBe(2);
    }),
  );
});

describe('a place in a program', () => {
  test('is the first line of the stack that is not of this driver', () => {
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

  test('is the outermost line when all of the program is one file, and unknown without a stack', () => {
    expect(firstOutside('Error\n    at a (/app/dist/all.js:1:1)\n    at b (/app/dist/all.js:2:1)')).toBe(
      'at b (/app/dist/all.js:2:1)',
    );
    expect(firstOutside('')).toBe('at an unknown place');
  });

  test('is found behind many calls, and the depth of other stacks stays as it was', () => {
    const before = Error.stackTraceLimit;
    const deep = (left: number): string => (left === 0 ? takeCallSite().toString() : deep(left - 1));
    expect(deep(20)).toMatch(/^at /);
    expect(Error.stackTraceLimit).toBe(before);
  });
});

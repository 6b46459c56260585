/** Property tests, which take longer than the other tests. */
import { bson } from '@tessera/bson';
import { Timestamp } from 'bson';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSessions } from '../src/index.js';
import { createServer, request, world } from './scripted.js';
import { timeIn, replyAt } from './times.js';

test('endSessions: every id once, 10,000 ids per command', async () => {
  const { runtime } = world();
  const sessions = createSessions({ bson, ...runtime });
  const started = Array.from({ length: 10_001 }, () => sessions.start());
  const ids = started.map(session => session.id);
  started[0]?.end();
  const batches = sessions.close();
  expect(batches.map(batch => batch.length)).toEqual([10_000, 1]);
  expect(new Set(batches.flat())).toEqual(new Set(ids));
  expect(started.every(session => session.hasEnded)).toBe(true);
  expect(sessions.close()).toEqual([]);
  await sessions.layer(createServer().dispatch)(request());
  expect(sessions.close()).toEqual([]);
});

test('keeps the later of any two cluster times, regardless of their signatures, also after 2038', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(0xffffffff), fc.nat(0xffffffff)), { minLength: 1, maxLength: 8 }),
      async times => {
        const server = createServer();
        const run = createSessions({ bson, ...world().runtime }).layer(server.dispatch);
        for (const [seconds, increment] of times) {
          server.reply = replyAt(seconds, increment);
          await run(request());
        }
        await run(request());
        const [seconds, increment] = times.reduce((a, b) => (b[0] > a[0] || (b[0] === a[0] && b[1] > a[1]) ? b : a));
        expect(timeIn(server.sent.at(-1))).toEqual(new Timestamp({ t: seconds, i: increment }));
      },
    ),
    { numRuns: 50 },
  ));

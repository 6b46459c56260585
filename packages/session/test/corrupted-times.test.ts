import type { Document } from '@tessera/contracts';
import { bson } from '@tessera/bson';
import { Binary, Double, Long, Timestamp } from 'bson';
import { describe, expect, test } from 'vitest';
import { createSessions } from '../src/index.js';
import { request, scene, world } from './scripted.js';
import { clusterTime, timeIn, replyAt } from './times.js';

const good = clusterTime(20);
const hash = (good['signature'] as Document)['hash'] as Binary;
const signed = (signature: unknown): Document => ({ ...good, signature });
const timed = (time: unknown): Document => ({ ...good, clusterTime: time });

const unsigned: Document = { clusterTime: good['clusterTime'] as unknown };

const corrupted: readonly (readonly [string, unknown])[] = [
  ['is no document', 5],
  ['is an array', [good]],
  ['is empty', {}],
  ['has no time', { signature: good['signature'] }],
  ['has an int as its time', timed(5)],
  ['has a long as its time', timed(Long.fromNumber(2 ** 40))],
  ['has a double as its time', timed(new Double(1e300))],
  ['has a date as its time', timed(new Date(9e12))],
  ['has a string as its time', timed('20')],
  ['has a null signature', signed(null)],
  ['has a string as its signature', signed('sign')],
  ['has a signature without a hash', signed({ keyId: Long.fromNumber(7) })],
  ['has a signature with a string as its hash', signed({ hash: 'x'.repeat(20), keyId: Long.fromNumber(7) })],
  ['has a signature without a key id', signed({ hash })],
  ['has a signature with a string as its key id', signed({ hash, keyId: '7' })],
];

describe('a $clusterTime of a reply', () => {
  test.each(corrupted)('that %s is ignored and not sent', (_what, $clusterTime) =>
    scene(async ({ run, server, sessions }) => {
      const session = sessions.start();
      server.reply = { ok: 1, $clusterTime };
      await run(request({}, { session }));
      expect(session.clusterTime).toBeUndefined();
      server.reply = replyAt(10);
      await run(request());
      server.reply = { ok: 1, $clusterTime };
      await run(request({}, { session }));
      server.reply = { ok: 1 };
      await run(request());
      expect(session.clusterTime).toBeUndefined();
      expect(server.sent.map(timeIn)).toEqual([
        undefined,
        undefined,
        new Timestamp({ t: 10, i: 1 }),
        new Timestamp({ t: 10, i: 1 }),
      ]);
    })(),
  );

  test(
    'that has no signature is sent unchanged, for deployments without authentication',
    scene(async ({ run, server }) => {
      server.reply = { ok: 1, $clusterTime: unsigned };
      await run(request());
      await run(request());
      expect(server.sent[1]?.['$clusterTime']).toEqual(unsigned);
    }),
  );

  // A client with a wrong clock would otherwise drop every time.
  test(
    'in the far future is kept if its form is valid',
    scene(async ({ run, server }) => {
      server.reply = replyAt(4_000_000_000);
      await run(request());
      await run(request());
      expect(timeIn(server.sent[1])).toEqual(new Timestamp({ t: 4_000_000_000, i: 1 }));
    }),
  );
});

test.each([
  ['an int', 5],
  ['a double', new Double(1e300)],
  ['a long', Long.fromNumber(5)],
  ['a string', '5'],
] as const)('an operationTime of a reply that is %s is ignored', (_what, operationTime) =>
  scene(async ({ run, server, sessions }) => {
    const session = sessions.start();
    server.reply = { ok: 1, operationTime };
    await run(request({}, { session }));
    expect(session.operationTime).toBeUndefined();
  })(),
);

test.each([['has no signature', unsigned] as const, ...corrupted.filter(([, given]) => !Array.isArray(given))])(
  'advanceClusterTime rejects a cluster time that %s',
  (_what, given) => {
    const session = createSessions({ bson, ...world().runtime }).start();
    expect(() => {
      session.advanceClusterTime(given as Document);
    }).toThrow('A cluster time must be a document');
  },
);

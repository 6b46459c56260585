import { Timestamp } from 'bson';
import { describe, expect, test } from 'vitest';
import { failureOf, getMore, insert, killCursors, request, scene } from './scripted.js';
import { clusterTime } from './times.js';

const time = (t: number): Timestamp => new Timestamp({ t, i: 1 });
const concerns = (sent: readonly { readonly [name: string]: unknown }[]): unknown[] =>
  sent.map(({ readConcern }) => readConcern);

describe('Snapshot Reads', () => {
  test(
    'takes the time of the snapshot from the first read, and sends it with all later reads',
    scene(async ({ run, sessions, server }) => {
      const session = sessions.start({ snapshot: true });
      expect([session.snapshot, session.snapshotTime, session.causalConsistency]).toEqual([true, undefined, false]);
      server.replies.push(
        { ok: 0, code: 246, atClusterTime: time(1) },
        { ok: 1 },
        { ok: 1, cursor: { atClusterTime: time(5) } },
        { ok: 1, atClusterTime: time(9) },
      );
      await failureOf(run(request({}, { session })));
      for (let n = 0; n < 4; n++) await run(request({}, { session }));
      const first = { level: 'snapshot' };
      const later = { level: 'snapshot', atClusterTime: time(5) };
      expect(concerns(server.sent)).toEqual([first, first, first, later, later]);
      expect(session.snapshotTime).toEqual(time(5));
    }),
  );

  test(
    'reads the time of distinct at the top level of its reply',
    scene(async ({ run, sessions, server }) => {
      const session = sessions.start({ snapshot: true });
      server.replies.push({ ok: 1, atClusterTime: time(6), operationTime: time(8) });
      await run(request({}, { session }));
      expect([session.snapshotTime, session.operationTime]).toEqual([time(6), time(8)]);
    }),
  );

  test(
    'reads at a given snapshotTime of another session',
    scene(async ({ run, sessions, server }) => {
      const session = sessions.start({ snapshot: true, snapshotTime: time(3) });
      expect(session.snapshotTime).toEqual(time(3));
      server.replies.push({ ok: 1, cursor: { atClusterTime: time(4) } });
      await run(request({}, { session }));
      await run(request({}, { session }));
      const at = { level: 'snapshot', atClusterTime: time(3) };
      expect(concerns(server.sent)).toEqual([at, at]);
    }),
  );

  test(
    '"Sending readConcern to the server on all commands": also on writes, which have no txnNumber',
    scene(async ({ run, sessions, server }) => {
      const session = sessions.start({ snapshot: true });
      await run(request({ ...insert, readConcern: { level: 'local' } }, { session }));
      await run(request({ ...insert, readConcern: undefined }, { session }));
      await run(request({ ...insert, readConcern: 'none' }, { session }));
      const command = { find: 1, lsid: expect.anything() as unknown, readConcern: { level: 'snapshot' } };
      expect(server.sent).toEqual([command, command, command]);
    }),
  );

  test(
    "writes the read concern of a user's own command once, with the time of the snapshot",
    scene(async ({ run, sessions, server }) => {
      const session = sessions.start({ snapshot: true, snapshotTime: time(3) });
      for (const readConcern of [{ level: 'local' }, {}]) {
        const own = request({ name: 'distinct', kind: 'either', readConcern }, { session });
        await run(own);
      }
      expect(concerns(server.sent)).toEqual([
        { level: 'local', atClusterTime: time(3) },
        { level: 'snapshot', atClusterTime: time(3) },
      ]);
    }),
  );

  test.each([getMore, killCursors])('sends no read concern with $name, which uses the snapshot of its cursor', of =>
    scene(async ({ run, sessions, server }) => {
      await run(request(of, { session: sessions.start({ snapshot: true }) }));
      expect(server.sent).toEqual([{ find: 1, lsid: expect.anything() as unknown }]);
    })(),
  );

  test(
    'sends the cluster time with its commands',
    scene(async ({ run, sessions, server }) => {
      server.reply = { ok: 1, $clusterTime: clusterTime(4) };
      const session = sessions.start({ snapshot: true });
      await run(request({}, { session }));
      await run(request({}, { session }));
      expect(server.sent[1]?.['$clusterTime']).toEqual(clusterTime(4));
    }),
  );

  test(
    '"Requires MongoDB 5.0+": sends nothing to older servers',
    scene(async ({ run, sessions, server }) => {
      server.place = { maxWireVersion: 12 };
      const error = await failureOf(run(request({}, { session: sessions.start({ snapshot: true }) })));
      expect([error.kind, error.message]).toEqual([
        'usage',
        'Snapshot reads require MongoDB 5.0 or later, but the server at a:27017 is older. Start a session without snapshot.',
      ]);
      server.place = { maxWireVersion: 13 };
      await run(request({}, { session: sessions.start({ snapshot: true }) }));
      expect(server.sent.length).toBe(1);
    }),
  );

  test(
    'rejects startTransaction',
    scene(async ({ sessions }) => {
      const session = sessions.start({ snapshot: true });
      expect(() => {
        session.startTransaction({});
      }).toThrow(/^Transactions are not supported in snapshot sessions/);
      expect(session.inTransaction).toBe(false);
    }),
  );

  test(
    'rejects contradictory options',
    scene(async ({ sessions }) => {
      expect(() => sessions.start({ snapshot: true, causalConsistency: true })).toThrow(/mutually exclusive/);
      expect(() => sessions.start({ snapshotTime: time(1) })).toThrow(/requires a snapshot session/);
      for (const wrong of [{ snapshot: true, causalConsistency: true }, { snapshotTime: time(1) }])
        expect(await failureOf((async () => sessions.start(wrong))())).toMatchObject({ kind: 'usage' });
      expect(sessions.start({ snapshot: true, causalConsistency: false }).snapshot).toBe(true);
      expect(sessions.start({ snapshot: false, causalConsistency: true }).snapshotTime).toBeUndefined();
    }),
  );
});

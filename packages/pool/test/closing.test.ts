import { MongoError } from '@tessera/contracts';
import { createPools } from '@tessera/pool';
import { createRecorder, createWorld, scriptConnect } from '@tessera/sim';
import { expect, test } from 'vitest';

const poolOf = (maxPoolSize: number) => {
  const world = createWorld({ turn: () => new Promise(resolve => setImmediate(resolve)) });
  const { clock } = world.runtime;
  const script = scriptConnect({ clock });
  const events = createRecorder();
  const pool = createPools({ clock, events, connect: script.connect }, { maxPoolSize })('db1:27017', () => undefined);
  return { world, script, events, pool };
};

test('close with a cause fails running commands and waiting checkouts immediately, each with its own error', async () => {
  const { world, script, events, pool } = poolOf(2);
  await world.run(async () => {
    pool.ready();
    const leases = [await pool.checkOut({ deadline: Infinity }), await pool.checkOut({ deadline: Infinity })];
    const waiting = Promise.resolve(pool.checkOut({ deadline: Infinity })).catch((error: unknown) => error);
    const closing = new MongoError('closed', 'client was closed');
    pool.close(closing);
    expect(await waiting).toMatchObject({ kind: 'closed', message: closing.message, origin: { phase: 'checkOut' } });
    const causes = script.connections.map(({ closing: given }) => given?.cause);
    expect(causes).toEqual(
      [closing, closing].map(({ message }) => expect.objectContaining({ kind: 'closed', message })),
    );
    expect(new Set([closing, ...causes]).size).toBe(3);
    for (const lease of leases) lease.release();
    expect(events.events.slice(-5).map(({ name }) => name)).toEqual([
      'connectionPoolClosed',
      ...['connectionCheckedIn', 'connectionClosed'],
      ...['connectionCheckedIn', 'connectionClosed'],
    ]);
  });
});

test('interrupt fails running commands and waiting checkouts immediately, and the pool stays usable', async () => {
  const { world, script, events, pool } = poolOf(1);
  await world.run(async () => {
    pool.ready();
    const lease = await pool.checkOut({ deadline: Infinity });
    const waiting = Promise.resolve(pool.checkOut({ deadline: Infinity })).catch((error: unknown) => error);
    const closing = new MongoError('closed', 'client was closed');
    pool.interrupt(closing);
    expect(await waiting).toMatchObject({ kind: 'closed', message: closing.message, origin: { phase: 'checkOut' } });
    expect(script.connections.map(({ closing: given }) => given?.cause)).toEqual([
      expect.objectContaining({ kind: 'closed', message: closing.message }),
    ]);
    lease.release();
    (await pool.checkOut({ deadline: Infinity })).release();
    expect(script.connections).toHaveLength(2);
    expect(events.events.filter(({ name }) => name === 'connectionClosed')).toMatchObject([{ reason: 'error' }]);
    pool.close();
    pool.interrupt(closing);
    expect(events.events.map(({ name }) => name).filter(name => /Cleared|Pool/.test(name))).toEqual([
      'connectionPoolCreated',
      'connectionPoolReady',
      'connectionPoolClosed',
    ]);
  });
});

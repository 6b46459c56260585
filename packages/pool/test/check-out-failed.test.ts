import { MongoError } from '@tessera/contracts';
import { createPools } from '@tessera/pool';
import { createRecorder, createWorld, scriptConnect } from '@tessera/sim';
import { expect, test } from 'vitest';

test('CMAP "ConnectionCheckOutFailedEvent": has the reason and the duration of each kind of failure', async () => {
  const world = createWorld({ turn: () => new Promise(resolve => setImmediate(resolve)) });
  const { clock } = world.runtime;
  const script = scriptConnect({ clock });
  const events = createRecorder();
  const pool = createPools({ clock, events, connect: script.connect }, { maxPoolSize: 1 })(
    'db1:27017',
    () => undefined,
  );
  const failing = (within: number, signal?: AbortSignal): Promise<unknown> =>
    Promise.resolve(
      pool.checkOut({ deadline: clock.now() + within, ...(signal === undefined ? {} : { signal }) }),
    ).catch((error: unknown) => error);
  await world.run(async () => {
    await failing(5);
    pool.ready();
    await failing(0);
    await failing(5, AbortSignal.abort('enough'));
    await pool.checkOut({ deadline: Infinity });
    await clock.sleep(10);
    await failing(5);
    const hand = new AbortController();
    const waiting = [failing(50, hand.signal), failing(50)];
    await clock.sleep(3);
    hand.abort('enough');
    pool.clear({ cause: new MongoError('network', 'gone') });
    await Promise.all(waiting);
    pool.ready();
    const last = failing(50);
    await clock.sleep(2);
    pool.close();
    await last;
    await failing(5);
  });
  const told = events.events.flatMap(event =>
    event.name === 'connectionCheckOutFailed'
      ? [[event.reason, event.durationMS, (event.error as MongoError).kind]]
      : [],
  );
  expect(told).toEqual([
    ['connectionError', 0, 'pool'],
    ['timeout', 0, 'timeout'],
    ['timeout', 0, 'aborted'],
    ['timeout', 5, 'timeout'],
    ['timeout', 3, 'aborted'],
    ['connectionError', 3, 'pool'],
    ['poolClosed', 2, 'pool'],
    ['poolClosed', 0, 'pool'],
  ]);
});

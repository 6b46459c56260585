import type { ConnectOptions, Millis } from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';
import { createPools } from '@tessera/pool';
import { createRecorder, createWorld } from '@tessera/sim';
import { expect, test } from 'vitest';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/** Returns the deadlines that a pool sets for the connections it opens. */
const deadlinesOf = async (connectTimeoutMS: Millis | undefined): Promise<readonly Millis[]> => {
  const world = createWorld({ turn });
  const { clock } = world.runtime;
  const given: Millis[] = [];
  const connect = (_: string, { deadline }: { readonly deadline: Millis }): Promise<never> => {
    given.push(deadline - clock.now());
    return Promise.reject(new MongoError('network', 'no', { origin: { phase: 'connect', sent: false } }));
  };
  const options = connectTimeoutMS === undefined ? {} : { connectTimeoutMS };
  const pool = createPools({ clock, events: createRecorder(), connect }, options)('db1:27017', () => undefined);
  await world.run(async () => {
    pool.ready();
    await expect(Promise.resolve(pool.checkOut({ deadline: clock.now() + 5 }))).rejects.toThrow('no');
    pool.close();
  });
  return given;
};

test('URI Options, "connectTimeoutMS": limits the time to open a connection, regardless of the limits of its operation', async () => {
  expect(await deadlinesOf(200)).toEqual([200]);
  expect(await deadlinesOf(undefined)).toEqual([30_000]);
  expect(await deadlinesOf(0)).toEqual([Infinity]);
});

test('CSOT "Background Connection Pooling": limits each authentication command for minPoolSize to timeoutMS, and the socket to connectTimeoutMS', async () => {
  const world = createWorld({ turn });
  const { clock } = world.runtime;
  const limits: unknown[] = [];
  const connect = (_: string, { deadline, commandLimit }: ConnectOptions): Promise<never> => {
    limits.push([deadline - clock.now(), commandLimit]);
    return new Promise(() => undefined);
  };
  const open = (timeoutMS: Millis) =>
    createPools({ clock, events: createRecorder(), connect }, { minPoolSize: 1, timeoutMS })('db1', () => undefined);
  await world.run(async () => {
    for (const timeoutMS of [20, 0]) {
      const pool = open(timeoutMS);
      pool.ready();
      await expect(Promise.resolve(pool.checkOut({ deadline: clock.now() + 5 }))).rejects.toThrow('Timed out');
      pool.close();
    }
  });
  const forAnOperation = [30_000, undefined];
  expect(limits).toEqual([[30_000, 20], forAnOperation, [30_000, undefined], forAnOperation]);
});

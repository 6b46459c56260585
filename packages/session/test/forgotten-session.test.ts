import type { Host } from '@tessera/contracts';
import { bson } from '@tessera/bson';
import { describe, expect, test } from 'vitest';
import { AsyncLocalStorage } from 'node:async_hooks';
import { createSessions } from '../src/index.js';
import type { SessionsOptions } from '../src/index.js';
import { createServer, failureOf, getMore, request, world } from './scripted.js';

const createHost = (environment: Readonly<Record<string, string>>, follows = true) => {
  const warnings: string[] = [];
  const host: Host = {
    environment: name => environment[name],
    warn: sentence => warnings.push(sentence),
    ...(follows
      ? {
          createScope: <T>() => {
            const storage = new AsyncLocalStorage<T>();
            return { run: <R>(value: T, call: () => R) => storage.run(value, call), current: () => storage.getStore() };
          },
        }
      : {}),
  };
  return { host, warnings };
};

const open = (options: SessionsOptions, environment: Readonly<Record<string, string>> = {}, follows = true) => {
  const { host, warnings } = createHost(environment, follows);
  const server = createServer();
  const sessions = createSessions({ bson, ...world().runtime, host }, options);
  return { sessions, server, warnings, run: sessions.layer(server.dispatch) };
};
const development = { NODE_ENV: 'development' };
const sentence =
  'find in database test was called within withTransaction without its session, so it is not part of the transaction. Pass the option { session }.';

describe('an operation without its session inside withTransaction', () => {
  test('causes one warning per call site in development, and runs', async () => {
    const { sessions, run, warnings } = open({}, development);
    await sessions.within(async () => {
      for (let n = 0; n < 2; n++) expect(await run(request())).toBe('done');
    });
    expect(warnings).toHaveLength(1);
    const [what, where] = warnings[0]!.split('\n');
    expect(what).toBe(sentence);
    expect(where).toMatch(/^ {2}at .*forgotten-session\.test\.ts:\d+:\d+\)?$/);
  });

  test('is rejected before it is sent, with detectForgottenSession: "fail"', async () => {
    const { sessions, run, server, warnings } = open({ detectForgottenSession: 'fail' });
    const error = await sessions.within(() => failureOf(run(request())));
    expect([error.kind, error.message.split('\n')[0], server.sent, warnings]).toEqual(['usage', sentence, [], []]);
  });

  test('is not detected with its session, nor outside of the function', async () => {
    const { sessions, run, warnings, server } = open({ detectForgottenSession: 'warn' });
    const late = await sessions.within(async () => {
      await run(request({}, { session: sessions.start() }));
      return { run: () => run(request()) };
    });
    await late.run();
    await run(request());
    expect([warnings, server.sent.length]).toEqual([[], 3]);
  });

  test('is not detected after the function has ended', async () => {
    const { sessions, run, warnings } = open({ detectForgottenSession: 'warn' });
    let left: Promise<unknown> = Promise.resolve();
    await sessions.within(async () => {
      left = new Promise(resolve => setImmediate(resolve)).then(() => run(request()));
    });
    await left;
    expect(warnings).toEqual([]);
  });

  test('is detected with the implicit session of a new cursor, but not for a cursor from before', async () => {
    const { sessions, run, warnings } = open({ detectForgottenSession: 'warn' });
    await sessions.within(async () => {
      await run(request(getMore, { session: sessions.implicit() }));
      expect(warnings).toEqual([]);
      await run(request({ name: 'find' }, { session: sessions.implicit() }));
    });
    expect(warnings).toHaveLength(1);
  });

  test('is not detected outside of development, nor with detectForgottenSession: "off"', async () => {
    for (const { sessions, run, warnings } of [
      open({}, { NODE_ENV: 'production' }),
      open({ detectForgottenSession: 'off' }, development),
      open({}, development, false),
    ]) {
      expect(await sessions.within(() => run(request()))).toBe('done');
      expect(warnings).toEqual([]);
    }
  });

  test('cannot be detected on a host without createScope', () => {
    expect(() => open({ detectForgottenSession: 'warn' }, {}, false)).toThrow(/cannot follow asynchronous calls/);
  });

  test('does not change the result or error of the function', async () => {
    const { sessions } = open({ detectForgottenSession: 'warn' });
    expect(await sessions.within(async () => 7)).toBe(7);
    await expect(sessions.within(() => Promise.reject(new Error('own')))).rejects.toThrow('own');
  });
});

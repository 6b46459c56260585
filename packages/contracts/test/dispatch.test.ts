import { forRetry, MongoError, orElse, withExchange } from '@tessera/contracts';
import type { Dispatch, Exchange, Operation, Request, Session } from '@tessera/contracts';
import { describe, expect, test } from 'vitest';

const exchange = (): Exchange => ({ append: () => undefined, received: () => undefined });
const session = {} as Session;
const [first, second] = [exchange(), exchange()];

const request: Request<unknown> = Object.freeze({
  operation: { name: 'ping' } as Operation<unknown>,
  id: 7,
  deadline: 1000,
  signal: new AbortController().signal,
  session,
  pin: { address: 'a:27017' },
  exchanges: Object.freeze([first]),
  failures: Object.freeze([]),
  avoid: Object.freeze([]),
});

describe('a copy of a request', () => {
  test('by withExchange appends the exchange and keeps the other fields', () => {
    expect(withExchange(request, second)).toEqual({ ...request, exchanges: [first, second] });
    expect(withExchange({ ...request, exchanges: [] }, second)).toEqual({ ...request, exchanges: [second] });
    expect(request.exchanges).toEqual([first]);
  });

  test('by withExchange has the given session, by default that of the request', () => {
    const other = {} as Session;
    expect(withExchange(request, second, other).session).toBe(other);
    expect(withExchange(request, second).session).toBe(session);
  });

  test('by forRetry has the given failures and servers to avoid, and keeps the other fields', () => {
    const failures = [new MongoError('network', 'reset')];
    const avoid = ['a:27017'];
    expect(forRetry(request, failures, avoid)).toEqual({ ...request, failures, avoid });
    expect(forRetry(request, failures, avoid).exchanges).toBe(request.exchanges);
  });
});

describe('orElse', () => {
  const error = new MongoError('network', 'reset');
  const failing: Dispatch = () => Promise.reject(error);
  const recover = (failure: unknown): Promise<unknown> => Promise.resolve({ recovered: failure });

  test('resolves to the result of a successful dispatch', async () => {
    expect(await orElse((() => Promise.resolve(7)) as Dispatch, request, recover)).toBe(7);
  });

  test('resolves to the promise of the recovery if the dispatch rejects', async () => {
    expect(await orElse(failing, request, recover)).toEqual({ recovered: error });
  });

  test("leaves the recovery to the dispatch's own failure path, if it has one", async () => {
    const own = Object.assign(() => Promise.reject(new Error('not called')), {
      orElse: (given: unknown, handler: unknown) => Promise.resolve([given, handler]),
    }) as Dispatch;
    expect(await orElse(own, request, recover)).toEqual([request, recover]);
  });
});

import { forRetry, MongoError, withExchange } from '@tessera/contracts';
import type { Exchange, Operation, Request, Session } from '@tessera/contracts';
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

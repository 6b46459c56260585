/** The doors through which broken layers go in. */
import type { Parts } from '@tessera/client';
import type { BodyWriter, Dispatch, Exchange, Layer, Request, RetryPolicy, Session } from '@tessera/contracts';
import { createRetryPolicy } from '@tessera/retry';
import { createSessions } from '@tessera/session';

type Sessions = ReturnType<Parts['sessions']>;

/** The same request with something else in one of its places. */
export const requestWith = <T>(
  request: Request<T>,
  change: Partial<Pick<Request<T>, 'session' | 'exchanges' | 'deadline' | 'operation'>>,
): Request<T> => ({ ...request, ...change });

/** Sessions of the driver's own make; what is not named is theirs. */
export const sessionsAround = (around: (sessions: Sessions) => Partial<Sessions>): Partial<Parts> => ({
  sessions: (deps, options) => {
    const sessions = createSessions(deps, options);
    return { ...sessions, ...around(sessions) };
  },
});

/** What the layer of sessions hands to that of retries is changed on the way. */
export const belowSessions = (change: (next: Dispatch) => Dispatch): Partial<Parts> =>
  sessionsAround(({ layer }) => ({ layer: (next => layer(change(next))) satisfies Layer }));

/** The last exchange of a request is that of its session. */
export const sessionExchanges = (change: (exchange: Exchange) => Exchange): Partial<Parts> =>
  belowSessions(
    next => request =>
      next(
        requestWith(request, {
          exchanges: [...request.exchanges.slice(0, -1), ...request.exchanges.slice(-1).map(change)],
        }),
      ),
  );

/** A session whose members are its own, but for these. */
export const sessionWith = (session: Session, change: Partial<Session>): Session =>
  new Proxy(session, {
    get: (target, name) => {
      const value: unknown = Reflect.get(name in change ? change : target, name, target);
      return typeof value === 'function' ? (value as (...given: unknown[]) => unknown).bind(target) : value;
    },
  });

/** A writer that writes another number under this name; undefined: nothing. */
export const writerWith = (
  writer: BodyWriter,
  key: string,
  change: (value: number | bigint) => number | bigint,
): BodyWriter =>
  new Proxy(writer, {
    get: (target, name) => {
      if (name === 'int64')
        return (given: string, value: number | bigint) => {
          target.int64(given, given === key ? change(value) : value);
        };
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value as (...given: unknown[]) => unknown).bind(target) : value;
    },
  });

/** The driver's own policy, asked in another way. */
export const policyAround = (around: (policy: RetryPolicy) => RetryPolicy['decide']): Partial<Parts> => ({
  retryPolicy: settings => ({ decide: around(createRetryPolicy(settings)) }),
});

/** Requests and errors for the tests of the retry layer. */
import { Cancellation, MongoError } from '@tessera/contracts';
import type {
  Dispatch,
  Document,
  FailedAttempt,
  MongoErrorOptions,
  Operation,
  Origin,
  Request,
  ServerType,
  Session,
  Signal,
  TopologyDescription,
} from '@tessera/contracts';
import type { RetryDeps } from '@tessera/retry';
import { createWorld } from '@tessera/sim';
import type { World } from '@tessera/sim';

export const world = (): World => createWorld({ turn: () => new Promise(resolve => setImmediate(resolve)) });

/** Returns the part of a deployment that the retry layer uses. */
export const deploymentOf = (
  type: TopologyDescription['type'],
  closing: Signal = new Cancellation(),
): RetryDeps['deployment'] => ({ description: { type } as TopologyDescription, closing });

export const operation = (given: Partial<Operation<string>> = {}): Operation<string> => ({
  name: 'find',
  db: 'test',
  kind: 'read',
  retryable: true,
  selection: { mode: 'primary' },
  answer: 'one',
  readConcern: 'none',
  database: { byteLength: 0 },
  body: () => undefined,
  read: () => 'done',
  ...given,
});

export const request = (of: Partial<Operation<string>> = {}, more: Partial<Request<string>> = {}): Request<string> => ({
  operation: operation(of),
  id: 7,
  deadline: Infinity,
  signal: undefined,
  session: undefined,
  pin: undefined,
  exchanges: [],
  failures: [],
  avoid: [],
  ...more,
});

/** Returns the argument of `decide`: by default a read on a replica set with these failures. */
export const failed = (failures: readonly MongoError[], more: Partial<FailedAttempt> = {}): FailedAttempt => ({
  request: request(),
  failures,
  attempt: failures.length,
  topology: 'ReplicaSetWithPrimary',
  chance: 0.5,
  ...more,
});

/** A session in a transaction, with the only field that a policy reads. */
export const transaction = { inTransaction: true } as Session;

export const read: Partial<Operation<string>> = {};
export const write: Partial<Operation<string>> = { name: 'insert', kind: 'write' };
export const commit: Partial<Operation<string>> = { name: 'commitTransaction', kind: 'write', retryable: 'always' };
/** A command of the user. */
export const command: Partial<Operation<string>> = { name: 'ping', kind: 'either', retryable: false };

interface Where {
  readonly address?: string;
  readonly type?: ServerType;
  readonly maxWireVersion?: number;
  readonly sessions?: boolean;
}

/** The fields of an origin before the hello reply. */
export const beforeHello = { maxWireVersion: undefined, hasSessions: undefined };

/** Returns the origin of a failed command that was sent, by default to the primary of a current replica set. */
export const origin = (
  { address = 'a:27017', type = 'RSPrimary', maxWireVersion = 25, sessions = true }: Where = {},
  more: Partial<Origin> = {},
): Origin => ({
  phase: 'command',
  sent: true,
  address,
  serverType: type,
  maxWireVersion,
  hasSessions: sessions,
  ...more,
});

export const networkError = (where: Where = {}, more: Partial<Origin> = {}): MongoError =>
  new MongoError('network', 'reset', { origin: origin(where, more) });

export const serverError = (code: number, where: Where = {}, more: MongoErrorOptions = {}): MongoError =>
  new MongoError('server', `code ${code}`, { code, reply: { ok: 0, code }, origin: origin(where), ...more });

const overloadLabels = ['SystemOverloadedError', 'RetryableError'];

/** Returns the error of a rate limiter, with further fields of its reply. */
export const overloaded = (reply: Document = {}, labels: readonly string[] = [], where: Where = {}): MongoError =>
  new MongoError('server', 'overloaded', {
    code: 462,
    codeName: 'IngressRequestRateLimitExceeded',
    labels: [...overloadLabels, ...labels],
    reply: { ok: 0, code: 462, ...reply },
    origin: origin(where),
  });

/** Returns the error of a connection that the server's rate limiter rejected, with the labels that the pool adds. */
export const notTaken = (): MongoError =>
  new MongoError('network', 'reset', {
    labels: overloadLabels,
    origin: origin({}, { phase: 'connect', sent: false, ...beforeHello }),
  });

export const poolCleared = (): MongoError =>
  new MongoError('pool', 'cleared', {
    cause: networkError(),
    origin: { phase: 'checkOut', sent: false, address: 'a:27017', serverType: 'RSPrimary' },
  });

export const noServer = (): MongoError =>
  new MongoError('selection', 'no server', { origin: { phase: 'select', sent: false } });

/** Returns a dispatch that fails with these errors in order, then succeeds, and records the requests. */
export const failing = (
  ...errors: readonly unknown[]
): { readonly next: Dispatch; readonly seen: Request<unknown>[] } => {
  const seen: Request<unknown>[] = [];
  return {
    seen,
    next: <T>(given: Request<T>): Promise<T> => {
      const index = seen.push(given) - 1;
      return index < errors.length ? Promise.reject(errors[index]) : Promise.resolve('done' as T);
    },
  };
};

export const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    value => {
      throw new Error(`expected a failure, got ${String(value)}`);
    },
    (error: unknown) => error,
  );

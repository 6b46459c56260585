import type { Operation, Request } from '@tessera/contracts';

/** Returns a request with defaults for everything that is not given. */
export const requestOf = (
  operation: Partial<Operation<unknown>> = {},
  more: Partial<Request<unknown>> = {},
): Request<unknown> => ({
  operation: {
    name: 'find',
    db: 'db',
    kind: 'read',
    retryable: true,
    selection: { mode: 'primary' },
    answer: 'one',
    readConcern: undefined,
    database: { byteLength: 0 },
    body: () => undefined,
    read: () => undefined,
    ...operation,
  },
  id: 1,
  deadline: Infinity,
  signal: undefined,
  session: undefined,
  pin: undefined,
  exchanges: [],
  failures: [],
  avoid: [],
  ...more,
});

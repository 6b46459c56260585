import { MongoError } from '@tessera/contracts';
import { createConnect } from '@tessera/connection';
import { createRetryPolicy } from '@tessera/retry';
import { around } from '../../kernel/around.js';
import { catching, connectionsAround } from '../../kernel/doors.js';
import { endsInTime } from '../../kernel/invariants/calls.js';
import { nothingLeft } from '../../kernel/invariants/end.js';
import type { Mutant } from '../../kernel/kind.js';
import { failsAsMongoError, writesOnce } from '../invariants.js';

export const otherMutants: readonly Mutant[] = [
  {
    name: 'retry-uses-a-new-number',
    sentence: 'a write is retried with another transaction number',
    breaks: writesOnce,
    parts: () =>
      catching((error, { operation }, again) => {
        if (!MongoError.is(error) || error.kind !== 'network' || operation.name !== 'insert') throw error;
        return again();
      }),
  },
  {
    name: 'layer-throws-foreign-errors',
    sentence: 'an operation fails with an error that is not a MongoError',
    breaks: failsAsMongoError,
    parts: () =>
      catching(() => {
        throw new TypeError('This is not a MongoError.');
      }),
  },
  {
    name: 'retry-ignores-retryWrites',
    sentence: 'a write without a transaction number is retried although retryWrites is false',
    breaks: writesOnce,
    parts: () => ({ retryPolicy: () => createRetryPolicy({ retryReads: true, retryWrites: true }) }),
  },
  {
    name: 'connection-ignores-deadlines',
    sentence: 'a command waits for its reply after its deadline',
    breaks: endsInTime,
    parts: () =>
      connectionsAround((connection, use) =>
        use === 'monitor' ? {} : { start: message => connection.start(message, Infinity) },
      ),
  },
  {
    name: 'connection-stays-open',
    sentence: 'a closed connection keeps its socket open',
    breaks: nothingLeft,
    parts: () => ({
      connect: (deps, options) => {
        const connect: typeof deps.transport.connect = async (to, how) => {
          const socket = await deps.transport.connect(to, how);
          let destroys = 0;
          const destroy = (): void => {
            destroys += 1;
            if (destroys > 1) socket.destroy();
          };
          return around(socket, { destroy });
        };
        return createConnect({ ...deps, transport: around(deps.transport, { connect }) }, options);
      },
    }),
  },
];

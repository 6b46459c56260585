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
    name: 'retry-numbers-anew',
    sentence: 'a write is repeated under another transaction number',
    breaks: writesOnce,
    parts: () =>
      catching((error, { operation }, again) => {
        if (!MongoError.is(error) || error.kind !== 'network' || operation.name !== 'insert') throw error;
        return again();
      }),
  },
  {
    name: 'layer-throws-others',
    sentence: 'an operation fails with an error that says nothing of where and why',
    breaks: failsAsMongoError,
    parts: () =>
      catching(() => {
        throw new TypeError('undefined is not a function');
      }),
  },
  {
    name: 'retry-repeats-what-it-may-not',
    sentence: 'a write is tried again though retryWrites is false, and it has no number',
    breaks: writesOnce,
    parts: () => ({ retryPolicy: () => createRetryPolicy({ retryReads: true, retryWrites: true }) }),
  },
  {
    name: 'connection-ignores-deadlines',
    sentence: 'a command whose time is up goes on waiting for its answer',
    breaks: endsInTime,
    parts: () =>
      connectionsAround((connection, use) =>
        use === 'monitor' ? {} : { start: message => connection.start(message, Infinity) },
      ),
  },
  {
    name: 'connection-stays-open',
    sentence: 'a connection that is closed keeps its socket',
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

import { MongoError } from '@tessera/contracts';
import type { Connection } from '@tessera/contracts';
import { createConnect } from '@tessera/connection';
import { createRetryPolicy } from '@tessera/retry';
import { nothingLeft } from '../invariants/end.js';
import { endsInTime, failsAsMongoError, writesOnce } from '../invariants/operations.js';
import type { Mutant } from './mutant.js';

const retriesAnew: Mutant = {
  name: 'retry-numbers-anew',
  sentence: 'a write is repeated under another transaction number',
  breaks: writesOnce,
  parts: () => ({
    outerLayers: [
      next => request =>
        next(request).catch((error: unknown) => {
          if (!MongoError.is(error) || error.kind !== 'network' || request.operation.name !== 'insert') throw error;
          return next(request);
        }),
    ],
  }),
};

const throwsOthers: Mutant = {
  name: 'layer-throws-others',
  sentence: 'an operation fails with an error that says nothing of where and why',
  breaks: failsAsMongoError,
  parts: () => ({
    outerLayers: [
      next => request =>
        next(request).catch(() => {
          throw new TypeError('undefined is not a function');
        }),
    ],
  }),
};

const retriesWithoutNumber: Mutant = {
  name: 'retry-repeats-what-it-may-not',
  sentence: 'a write is tried again though retryWrites is false, and it has no number',
  breaks: writesOnce,
  parts: () => ({
    retryPolicy: () => createRetryPolicy({ retryReads: true, retryWrites: true }),
  }),
};

const ignoresDeadlines: Mutant = {
  name: 'connection-ignores-deadlines',
  sentence: 'a command whose time is up goes on waiting for its answer',
  breaks: endsInTime,
  parts: () => ({
    connect: (deps, options) => {
      const connect = createConnect(deps, options);
      return async (to, how) => {
        const connection = await connect(to, how);
        if (how.use === 'monitor') return connection;
        const start = connection.start.bind(connection);
        const slow: Pick<Connection, 'start'> = {
          start: message => {
            start(message, Infinity);
          },
        };
        return Object.assign(connection, slow);
      };
    },
  }),
};

const staysOpen: Mutant = {
  name: 'connection-stays-open',
  sentence: 'a connection that is closed keeps its socket',
  breaks: nothingLeft,
  parts: () => ({
    connect: (deps, options) => {
      const { transport } = deps;
      const stubborn: typeof transport = {
        connect: async (to, how) => {
          const socket = await transport.connect(to, how);
          let destroys = 0;
          const { readsAhead } = socket;
          return {
            readsAhead,
            listen: sink => {
              socket.listen(sink);
            },
            write: bytes => socket.write(bytes),
            end: () => {
              socket.end();
            },
            destroy: () => {
              destroys += 1;
              if (destroys > 1) socket.destroy();
            },
          };
        },
      };
      return createConnect({ ...deps, transport: stubborn }, options);
    },
  }),
};

export const otherMutants: readonly Mutant[] = [
  retriesAnew,
  throwsOthers,
  retriesWithoutNumber,
  ignoresDeadlines,
  staysOpen,
];

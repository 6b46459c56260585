import type { Session } from '@tessera/contracts';
import {
  belowSessions,
  numbering,
  requestSessions,
  sessionExchanges,
  sessionsAround,
  withOwnExchange,
} from '../../kernel/doors.js';
import type { Mutant } from '../../kernel/kind.js';
import {
  dirtyIsGone,
  neverShared,
  numbersRise,
  oneIdentity,
  readsAfter,
  sessionsReturn,
  tellsClusterTime,
} from '../invariants/sessions.js';

export const sessionMutants: readonly Mutant[] = [
  {
    name: 'retry-renews-the-number',
    sentence: 'a write that is tried again bears another transaction number',
    breaks: oneIdentity,
    parts: () => numbering((number, { failures }) => number + BigInt(failures.length)),
  },
  {
    name: 'retry-changes-the-session',
    sentence: 'an operation that is tried again bears the id of another session',
    breaks: oneIdentity,
    parts: () =>
      belowSessions((next, sessions) => request => {
        let other: Session | undefined;
        const changed = withOwnExchange(request, own => ({
          append: (writer, attempt, operation) => {
            if (attempt.failures.length > 0) other ??= sessions.implicit();
            (other ?? own).append(writer, attempt, operation);
          },
        }));
        return next(changed).finally(() => other?.end());
      }),
  },
  {
    name: 'write-reuses-the-number',
    sentence: 'the next write of a session bears the transaction number of the one before',
    breaks: numbersRise,
    parts: () => numbering(() => 1n),
  },
  {
    name: 'sessions-are-shared',
    sentence: 'all operations without a session use the same one, also at once',
    breaks: neverShared,
    parts: () =>
      sessionsAround(sessions => {
        let shared: Session | undefined;
        return {
          layer: next => {
            const dispatch = sessions.layer(next);
            return request => dispatch({ ...request, session: request.session ?? (shared ??= sessions.implicit()) });
          },
        };
      }),
  },
  {
    name: 'sessions-keep-what-is-dirty',
    sentence: 'a session whose command was lost is used by the next one',
    breaks: dirtyIsGone,
    parts: () => requestSessions({ failed: () => undefined }),
  },
  {
    name: 'sessions-lose-the-cluster-time',
    sentence: 'the cluster time of some replies is not heard',
    breaks: tellsClusterTime,
    parts: () => {
      let replies = 0;
      return sessionExchanges(exchange => ({
        received: (reply, attempt, operation) => {
          replies += 1;
          if (replies % 3 !== 0) exchange.received(reply, attempt, operation);
        },
      }));
    },
  },
  {
    name: 'sessions-read-anything',
    sentence: 'a read in a causally consistent session says nothing of what it must have seen',
    breaks: readsAfter,
    parts: () => requestSessions({ readConcern: ({ readConcern }) => readConcern }),
  },
  {
    name: 'sessions-of-cursors-stay',
    sentence: 'the session of a cursor is never given back',
    breaks: sessionsReturn,
    parts: () =>
      sessionsAround(sessions => ({
        implicit: () => Object.assign(sessions.implicit(), { end: () => undefined }),
      })),
  },
];

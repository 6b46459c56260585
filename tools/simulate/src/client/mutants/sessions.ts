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
  sendsClusterTime,
} from '../invariants/sessions.js';

export const sessionMutants: readonly Mutant[] = [
  {
    name: 'retry-renews-the-number',
    sentence: 'a retried write has another transaction number',
    breaks: oneIdentity,
    parts: () => numbering((number, { failures }) => number + BigInt(failures.length)),
  },
  {
    name: 'retry-changes-the-session',
    sentence: 'a retried operation has another session id',
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
    sentence: 'the next write of a session has the transaction number of the one before',
    breaks: numbersRise,
    parts: () => numbering(() => 1n),
  },
  {
    name: 'sessions-are-shared',
    sentence: 'all operations without an explicit session share one session',
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
    name: 'sessions-keep-dirty-ids',
    sentence: 'a session whose command failed on the network is reused',
    breaks: dirtyIsGone,
    parts: () => requestSessions({ failed: () => undefined }),
  },
  {
    name: 'sessions-lose-the-cluster-time',
    sentence: 'the cluster time of some replies is ignored',
    breaks: sendsClusterTime,
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
    name: 'sessions-omit-afterClusterTime',
    sentence: 'a read in a causally consistent session omits afterClusterTime',
    breaks: readsAfter,
    parts: () => requestSessions({ readConcern: ({ readConcern }) => readConcern }),
  },
  {
    name: 'sessions-of-cursors-stay',
    sentence: 'the session of a cursor is never released',
    breaks: sessionsReturn,
    parts: () =>
      sessionsAround(sessions => ({
        implicit: () => Object.assign(sessions.implicit(), { end: () => undefined }),
      })),
  },
];

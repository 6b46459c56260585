import type { Session } from '@tessera/contracts';
import type { Mutant } from '../../mutants/mutant.js';
import {
  dirtyIsGone,
  neverShared,
  numbersRise,
  oneIdentity,
  readsAfter,
  sessionsReturn,
  tellsClusterTime,
} from '../invariants/sessions.js';
import { belowSessions, requestWith, sessionExchanges, sessionWith, sessionsAround, writerWith } from './doors.js';

const renewsNumbers: Mutant = {
  name: 'retry-renews-the-number',
  sentence: 'a write that is tried again bears another transaction number',
  breaks: oneIdentity,
  parts: () =>
    sessionExchanges(exchange => ({
      append: (writer, attempt, operation) => {
        const by = BigInt(attempt.failures.length);
        exchange.append(
          writerWith(writer, 'txnNumber', number => BigInt(number) + by),
          attempt,
          operation,
        );
      },
      heard: (reply, attempt) => {
        exchange.heard(reply, attempt);
      },
    })),
};

const changesSessions: Mutant = {
  name: 'retry-changes-the-session',
  sentence: 'an operation that is tried again bears the id of another session',
  breaks: oneIdentity,
  parts: () =>
    sessionsAround(sessions => ({
      layer: next =>
        sessions.layer(request => {
          const [own] = request.exchanges.slice(-1);
          let other: Session | undefined;
          return next(
            requestWith(request, {
              exchanges: [
                ...request.exchanges.slice(0, -1),
                {
                  append: (writer, attempt, operation) => {
                    if (attempt.failures.length === 0) return own?.append(writer, attempt, operation);
                    other ??= sessions.implicit();
                    other.append(writer, attempt, operation);
                  },
                  heard: (reply, attempt) => own?.heard(reply, attempt),
                },
              ],
            }),
          ).finally(() => {
            other?.end();
          });
        }),
    })),
};

const reusesNumbers: Mutant = {
  name: 'write-reuses-the-number',
  sentence: 'the next write of a session bears the transaction number of the one before',
  breaks: numbersRise,
  parts: () =>
    sessionExchanges(exchange => ({
      append: (writer, attempt, operation) => {
        exchange.append(
          writerWith(writer, 'txnNumber', () => 1n),
          attempt,
          operation,
        );
      },
      heard: (reply, attempt) => {
        exchange.heard(reply, attempt);
      },
    })),
};

const sharesSessions: Mutant = {
  name: 'sessions-are-shared',
  sentence: 'all operations without a session use the same one, also at once',
  breaks: neverShared,
  parts: () =>
    sessionsAround(sessions => {
      let shared: Session | undefined;
      return {
        layer: next => {
          const dispatch = sessions.layer(next);
          return request =>
            dispatch(requestWith(request, { session: request.session ?? (shared ??= sessions.implicit()) }));
        },
      };
    }),
};

const keepsDirty: Mutant = {
  name: 'sessions-keep-what-is-dirty',
  sentence: 'a session whose command was lost is used by the next one',
  breaks: dirtyIsGone,
  parts: () =>
    belowSessions(next => request => {
      const { session } = request;
      return next(
        session === undefined
          ? request
          : requestWith(request, { session: sessionWith(session, { failed: () => undefined }) }),
      );
    }),
};

const forgetsTime: Mutant = {
  name: 'sessions-lose-the-cluster-time',
  sentence: 'the cluster time of some replies is not heard',
  breaks: tellsClusterTime,
  parts: () => {
    let replies = 0;
    return sessionExchanges(exchange => ({
      append: (writer, attempt, operation) => {
        exchange.append(writer, attempt, operation);
      },
      heard: (reply, attempt) => {
        replies += 1;
        if (replies % 3 !== 0) exchange.heard(reply, attempt);
      },
    }));
  },
};

/** A read says nothing of what its session must have seen. */
export const readingAnything: Mutant['parts'] = () =>
  belowSessions(next => request => {
    const { session } = request;
    return next(
      session === undefined
        ? request
        : requestWith(request, { session: sessionWith(session, { readConcern: own => own }) }),
    );
  });

const readsAnything: Mutant = {
  name: 'sessions-read-anything',
  sentence: 'a read in a causally consistent session says nothing of what it must have seen',
  breaks: readsAfter,
  parts: readingAnything,
};

const neverEnds: Mutant = {
  name: 'sessions-of-cursors-stay',
  sentence: 'the session of a cursor is never given back',
  breaks: sessionsReturn,
  parts: () =>
    sessionsAround(sessions => ({
      implicit: () => Object.assign(sessions.implicit(), { end: () => undefined }),
    })),
};

export const sessionMutants: readonly Mutant[] = [
  renewsNumbers,
  changesSessions,
  reusesNumbers,
  sharesSessions,
  keepsDirty,
  forgetsTime,
  readsAnything,
  neverEnds,
];

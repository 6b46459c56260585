import { Long } from 'bson';
import { MongoError } from '@tessera/contracts';
import type { Mutant } from '../mutants/mutant.js';
import { neverTwice } from '../whole/invariants/writes.js';
import { policyAround, sessionExchanges, writerWith } from '../whole/mutants/doors.js';
import { readingAnything } from '../whole/mutants/sessions.js';
import type { Mishear } from './front.js';
import { abortedIsNotThere, majorityIsKept, neverBack, neverHalf } from './invariants/kept.js';

const mishearing =
  (mishear: Mishear): Mutant['parts'] =>
  () => ({ mishear });

/** As if it were none of a transaction. */
const alone = (command: Record<string, unknown>): void => {
  delete command['autocommit'];
  delete command['startTransaction'];
  delete command['txnNumber'];
  delete command['readConcern'];
};

const isInTransaction = ({ autocommit }: Record<string, unknown>): boolean => autocommit !== undefined;

interface Concern {
  w?: unknown;
  level?: unknown;
  afterClusterTime?: unknown;
}

const acknowledgesEarly: Mutant = {
  name: 'server-acknowledges-early',
  sentence: 'a member acknowledges with write concern majority what it alone has',
  breaks: majorityIsKept,
  parts: mishearing(command => {
    const concern = command['writeConcern'] as Concern | undefined;
    if (concern !== undefined && !isInTransaction(command)) concern.w = 1;
  }),
};

const commitsEarly: Mutant = {
  name: 'server-commits-early',
  sentence: 'a transaction is said to be committed before a majority has it',
  breaks: majorityIsKept,
  parts: mishearing(command => {
    const concern = command['writeConcern'] as Concern | undefined;
    if (concern !== undefined && 'commitTransaction' in command) concern.w = 1;
  }),
};

const forgetsNumbers: Mutant = {
  name: 'server-forgets-numbers',
  sentence: 'no member remembers which statements it has carried out',
  breaks: neverTwice,
  parts: mishearing(command => {
    if (!isInTransaction(command)) delete command['txnNumber'];
  }),
};

/** From one process to the next: only what it did itself is known to a new primary. */
const remembersAlone: Mutant = {
  name: 'server-renumbers-at-a-failover',
  sentence: 'who is elected does not know what the primary before it has carried out',
  breaks: neverTwice,
  parts: () => {
    const first = new Map<string, unknown>();
    return {
      mishear: (command, member) => {
        if (isInTransaction(command) || command['txnNumber'] === undefined) return;
        const { id } = command['lsid'] as { readonly id: { toString(encoding: string): string } };
        const key = `${id.toString('hex')} ${(command['txnNumber'] as Long).toString()}`;
        if (first.get(key) === undefined) first.set(key, member);
        else if (first.get(key) !== member) command['txnNumber'] = (command['txnNumber'] as Long).add(1000);
      },
    };
  },
};

const answersStale: Mutant = {
  name: 'server-answers-what-is-stale',
  sentence: 'a secondary does not wait until it has what the reader knows of',
  breaks: neverBack,
  parts: mishearing(command => {
    const concern = command['readConcern'] as Concern | undefined;
    if (concern !== undefined && !isInTransaction(command)) delete concern.afterClusterTime;
  }),
};

const showsEarly: Mutant = {
  name: 'server-shows-what-may-be-lost',
  sentence: 'a read with read concern majority sees what a majority does not have yet',
  breaks: neverBack,
  parts: mishearing(command => {
    const concern = command['readConcern'] as Concern | undefined;
    if (concern?.level === 'majority') concern.level = 'local';
  }),
};

const seesEach: Mutant = {
  name: 'server-reads-each-by-itself',
  sentence: 'each read of a snapshot has a moment of its own',
  breaks: neverHalf,
  parts: mishearing(command => {
    if (!isInTransaction(command)) {
      const concern = command['readConcern'] as Concern | undefined;
      if (concern?.level === 'snapshot') delete command['readConcern'];
      return;
    }
    if ('find' in command) alone(command);
  }),
};

const writesEach: Mutant = {
  name: 'server-writes-each-at-once',
  sentence: 'what is written in a transaction is there whether it is committed or not',
  breaks: abortedIsNotThere,
  parts: mishearing(command => {
    if ('insert' in command && isInTransaction(command)) alone(command);
  }),
};

const renewsNumbers: Mutant = {
  name: 'retry-renews-the-number-at-a-failover',
  sentence: 'a write that is tried again on another primary bears another transaction number',
  breaks: neverTwice,
  parts: () =>
    sessionExchanges(exchange => ({
      append: (writer, attempt, operation) => {
        const before = attempt.failures.at(-1)?.origin?.address;
        const by = before !== undefined && before !== attempt.connection.address ? 1n : 0n;
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

const readsAnything: Mutant = {
  name: 'session-reads-from-anyone',
  sentence: 'a read in a causally consistent session says nothing of what it must have seen',
  breaks: neverBack,
  parts: readingAnything,
};

const believesCommits: Mutant = {
  name: 'layer-believes-in-commits',
  sentence: 'a commit whose outcome is unknown is taken for done',
  breaks: majorityIsKept,
  parts: () => ({
    outerLayers: [
      next => request =>
        next(request).catch((error: unknown) => {
          if (request.operation.name !== 'commitTransaction' || !MongoError.is(error)) throw error;
          return undefined as never;
        }),
    ],
  }),
};

const repeatsTransactions: Mutant = {
  name: 'layer-repeats-what-may-be-committed',
  sentence: 'a transaction whose commit has an unknown outcome is begun anew',
  breaks: neverTwice,
  parts: () => ({
    ...policyAround(policy => (request, failures, topology, unit) => {
      const decision = policy.decide(request, failures, topology, unit);
      if (request.operation.name !== 'commitTransaction') return decision;
      return { retry: false, raise: failures.at(-1)!, because: 'commits are not repeated' };
    }),
    outerLayers: [
      next => request =>
        next(request).catch((error: unknown) => {
          if (request.operation.name !== 'commitTransaction' || !MongoError.is(error)) throw error;
          const { kind, message, code, origin } = error;
          const labels = ['TransientTransactionError'];
          throw new MongoError(kind, message, { labels, code, origin, cause: error });
        }),
    ],
  }),
};

/** At least one for each invariant that holds of replica sets alone. */
export const mutants: readonly Mutant[] = [
  acknowledgesEarly,
  commitsEarly,
  forgetsNumbers,
  remembersAlone,
  answersStale,
  showsEarly,
  seesEach,
  writesEach,
  renewsNumbers,
  readsAnything,
  believesCommits,
  repeatsTransactions,
];

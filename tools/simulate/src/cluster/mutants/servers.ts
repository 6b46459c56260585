import type { Long } from 'bson';
import { neverTwice } from '../../kernel/invariants/marks.js';
import type { Mishear, Mutant } from '../../kernel/kind.js';
import { abortedIsNotThere, majorityIsKept, neverBack, neverHalf } from '../invariants.js';

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

const concernOf = (command: Record<string, unknown>, which: 'readConcern' | 'writeConcern'): Concern | undefined =>
  command[which] as Concern | undefined;

export const serverMutants: readonly Mutant[] = [
  {
    name: 'server-acknowledges-early',
    sentence: 'a member acknowledges with write concern majority what it alone has',
    breaks: majorityIsKept,
    parts: mishearing(command => {
      const concern = concernOf(command, 'writeConcern');
      if (concern !== undefined && !isInTransaction(command)) concern.w = 1;
    }),
  },
  {
    name: 'server-commits-early',
    sentence: 'a transaction is said to be committed before a majority has it',
    breaks: majorityIsKept,
    parts: mishearing(command => {
      const concern = concernOf(command, 'writeConcern');
      if (concern !== undefined && 'commitTransaction' in command) concern.w = 1;
    }),
  },
  {
    name: 'server-forgets-numbers',
    sentence: 'no member remembers which statements it has carried out',
    breaks: neverTwice,
    parts: mishearing(command => {
      if (!isInTransaction(command)) delete command['txnNumber'];
    }),
  },
  /** From one process to the next: only what it did itself is known to a new primary. */
  {
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
  },
  {
    name: 'server-answers-what-is-stale',
    sentence: 'a secondary does not wait until it has what the reader knows of',
    breaks: neverBack,
    parts: mishearing(command => {
      const concern = concernOf(command, 'readConcern');
      if (concern !== undefined && !isInTransaction(command)) delete concern.afterClusterTime;
    }),
  },
  {
    name: 'server-shows-what-may-be-lost',
    sentence: 'a read with read concern majority sees what a majority does not have yet',
    breaks: neverBack,
    parts: mishearing(command => {
      const concern = concernOf(command, 'readConcern');
      if (concern?.level === 'majority') concern.level = 'local';
    }),
  },
  {
    name: 'server-reads-each-by-itself',
    sentence: 'each read of a snapshot has a moment of its own',
    breaks: neverHalf,
    parts: mishearing(command => {
      if (!isInTransaction(command)) {
        const concern = concernOf(command, 'readConcern');
        if (concern?.level === 'snapshot') delete command['readConcern'];
        return;
      }
      if ('find' in command) alone(command);
    }),
  },
  {
    name: 'server-writes-each-at-once',
    sentence: 'what is written in a transaction is there whether it is committed or not',
    breaks: abortedIsNotThere,
    parts: mishearing(command => {
      if ('insert' in command && isInTransaction(command)) alone(command);
    }),
  },
];

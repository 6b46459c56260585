import type { Long } from 'bson';
import { neverTwice } from '../../kernel/invariants/marks.js';
import type { Tamper, Mutant } from '../../kernel/kind.js';
import { abortedIsNotThere, majorityIsKept, neverBack, neverHalf } from '../invariants.js';

const tampering =
  (tamper: Tamper): Mutant['parts'] =>
  () => ({ tamper });

/** Removes the fields of a transaction from a command. */
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
    sentence: 'a member acknowledges write concern majority before a majority has the write',
    breaks: majorityIsKept,
    parts: tampering(command => {
      const concern = concernOf(command, 'writeConcern');
      if (concern !== undefined && !isInTransaction(command)) concern.w = 1;
    }),
  },
  {
    name: 'server-commits-early',
    sentence: 'a transaction is reported as committed before a majority has it',
    breaks: majorityIsKept,
    parts: tampering(command => {
      const concern = concernOf(command, 'writeConcern');
      if (concern !== undefined && 'commitTransaction' in command) concern.w = 1;
    }),
  },
  {
    name: 'server-forgets-numbers',
    sentence: 'no member remembers the statements that it carried out',
    breaks: neverTwice,
    parts: tampering(command => {
      if (!isInTransaction(command)) delete command['txnNumber'];
    }),
  },
  /**
   * Changes the transaction number on another member, so a new primary does not recognize statements of the one before.
   */
  {
    name: 'server-renumbers-at-a-failover',
    sentence: 'a new primary does not recognize the statements that the previous primary carried out',
    breaks: neverTwice,
    parts: () => {
      const first = new Map<string, unknown>();
      return {
        tamper: (command, member) => {
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
    name: 'server-returns-stale-reads',
    sentence: 'a secondary does not wait for afterClusterTime',
    breaks: neverBack,
    parts: tampering(command => {
      const concern = concernOf(command, 'readConcern');
      if (concern !== undefined && !isInTransaction(command)) delete concern.afterClusterTime;
    }),
  },
  {
    name: 'server-ignores-majority-read-concern',
    sentence: 'a read with read concern majority returns writes that a majority does not have yet',
    breaks: neverBack,
    parts: tampering(command => {
      const concern = concernOf(command, 'readConcern');
      if (concern?.level === 'majority') concern.level = 'local';
    }),
  },
  {
    name: 'server-ignores-snapshots',
    sentence: 'each read of a snapshot reads at another moment',
    breaks: neverHalf,
    parts: tampering(command => {
      if (!isInTransaction(command)) {
        const concern = concernOf(command, 'readConcern');
        if (concern?.level === 'snapshot') delete command['readConcern'];
        return;
      }
      if ('find' in command) alone(command);
    }),
  },
  {
    name: 'server-writes-outside-transactions',
    sentence: 'writes of a transaction are visible even if it is not committed',
    breaks: abortedIsNotThere,
    parts: tampering(command => {
      if ('insert' in command && isInTransaction(command)) alone(command);
    }),
  },
];

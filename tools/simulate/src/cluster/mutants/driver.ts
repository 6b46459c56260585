import { MongoError } from '@tessera/contracts';
import { catching, deciding, numbering, requestSessions } from '../../kernel/doors.js';
import { neverTwice } from '../../kernel/invariants/marks.js';
import type { Mutant } from '../../kernel/kind.js';
import { majorityIsKept, neverBack } from '../invariants.js';

export const driverMutants: readonly Mutant[] = [
  {
    name: 'retry-renews-the-number-at-a-failover',
    sentence: 'a write that is retried on another primary has another transaction number',
    breaks: neverTwice,
    parts: () =>
      numbering((number, { failures, connection }) => {
        const before = failures.at(-1)?.origin?.address;
        return before !== undefined && before !== connection.address ? number + 1n : number;
      }),
  },
  {
    name: 'session-omits-afterClusterTime',
    sentence: 'a read in a causally consistent session omits afterClusterTime',
    breaks: neverBack,
    parts: () => requestSessions({ readConcern: ({ readConcern }) => readConcern }),
  },
  {
    name: 'layer-acknowledges-unknown-commits',
    sentence: 'a commit with an unknown outcome is reported as successful',
    breaks: majorityIsKept,
    parts: () =>
      catching((error, { operation }) => {
        if (operation.name !== 'commitTransaction' || !MongoError.is(error)) throw error;
      }),
  },
  {
    name: 'layer-repeats-unknown-commits',
    sentence: 'a transaction whose commit has an unknown outcome is run again',
    breaks: neverTwice,
    parts: () => ({
      ...deciding(
        decide => failed =>
          failed.request.operation.name === 'commitTransaction'
            ? { retry: false, raise: failed.failures.at(-1)!, because: 'commits are not repeated' }
            : decide(failed),
      ),
      ...catching((error, { operation }) => {
        if (operation.name !== 'commitTransaction' || !MongoError.is(error)) throw error;
        const { kind, message, code, origin } = error;
        const labels = ['TransientTransactionError'];
        throw new MongoError(kind, message, { labels, code, origin, cause: error });
      }),
    }),
  },
];

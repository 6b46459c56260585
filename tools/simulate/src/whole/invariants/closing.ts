import type { Millis } from '@tessera/contracts';
import { at, factsOf } from '../../invariants/invariant.js';
import type { Invariant } from '../../invariants/invariant.js';

/** One tick of the clock. */
const tick: Millis = 1;

export const endsWithClient: Invariant = {
  name: 'whatever is under way when the client is closed has ended when it is, and what comes later ends at once',
  broken: history => {
    const open = new Map<number, Millis>();
    let closed: Millis | undefined;
    for (const { at: time, fact } of factsOf(history, 'closed', 'began', 'ended')) {
      if (fact.is === 'closed') closed = time;
      else if (fact.is === 'began') open.set(fact.operation, time);
      else {
        const since = Math.max(open.get(fact.operation) ?? 0, closed ?? Infinity);
        if (since < Infinity && time > since + tick)
          return `call ${fact.operation} ended at ${at(time)}, the client was closed at ${at(closed!)}`;
      }
    }
    return undefined;
  },
};

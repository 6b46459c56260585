/** Invariants of calls: their results and the end of the client. */
import { MongoError } from '@tessera/contracts';
import type { Millis } from '@tessera/contracts';
import { at, factsOf } from '../../kernel/invariant.js';
import type { Invariant } from '../../kernel/invariant.js';
import { tick } from '../../kernel/invariants/calls.js';
import { errorText } from '../../kernel/words.js';

export const endsWithClient: Invariant = {
  name: 'calls in progress end when the client is closed, and later calls end at once',
  *breaches(history) {
    const open = new Map<number, Millis>();
    let closed: Millis | undefined;
    for (const { at: time, fact } of factsOf(history, 'closed', 'began', 'ended')) {
      if (fact.is === 'closed') closed = time;
      else if (fact.is === 'began') open.set(fact.operation, time);
      else {
        const since = Math.max(open.get(fact.operation) ?? 0, closed ?? Infinity);
        if (since < Infinity && time > since + tick)
          yield `call ${fact.operation} ended at ${at(time)}, the client was closed at ${at(closed!)}`;
      }
    }
  },
};

export const failsAsAllowed: Invariant = {
  name: 'a call fails with a MongoError or the reason of its signal, and never with kind "usage" or "protocol"',
  *breaches(history) {
    const aborted = new Set<number>();
    let isClosing = false;
    for (const { at: time, fact } of factsOf(history, 'aborted', 'closing', 'ended')) {
      if (fact.is === 'closing') isClosing = true;
      else if (fact.is === 'aborted') aborted.add(fact.operation);
      else {
        const { error, operation } = fact;
        const isOwn = aborted.has(operation) && !MongoError.is(error);
        if (error === undefined || isOwn) continue;
        if (!MongoError.is(error)) yield `call ${operation} failed at ${at(time)} with ${errorText(error)}`;
        else if ((error.kind === 'usage' && !isClosing) || error.kind === 'protocol')
          yield `call ${operation} failed at ${at(time)} as ${errorText(error)}`;
      }
    }
  },
};

import type { Clock, Millis, Signal } from '@tessera/contracts';
import type { Conversation, PlannedCall } from './plan.js';
import type { Record } from './record.js';

/** The users of the client: each makes one call, or a conversation of several calls in one session. */
export interface Callers<C extends PlannedCall> {
  /** Makes one call, and records how it ends. Never rejects; returns whether the call succeeded. */
  call(planned: C): Promise<boolean>;
  converse(conversation: Conversation<C>): Promise<void>;
  /** The number of calls and conversations that have not ended. */
  readonly busy: number;
}

export interface Limits {
  /** Infinity if the call has no deadline. */
  readonly deadline: Millis;
  readonly signal: Signal | undefined;
}

/** The state that the calls of one conversation share. */
export interface Talk {
  readonly session: { endSession(): Promise<unknown> };
}

/** How one kind of history makes its calls. */
export interface Calling<C extends PlannedCall, T extends Talk> {
  /** @param talk undefined for a call outside of conversations */
  readonly perform: (planned: C, limits: Limits, talk: T | undefined) => Promise<void>;
  readonly begin?: (conversation: Conversation<C>) => T;
  /** The longest time that a call may take. Defaults to its timeoutMS. */
  readonly timeOf?: (planned: C) => Millis | undefined;
}

export const createCallers = <C extends PlannedCall, T extends Talk = Talk>(
  clock: Clock,
  record: Record,
  { perform, begin, timeOf = ({ timeoutMS }) => timeoutMS }: Calling<C, T>,
): Callers<C> => {
  let busy = 0;

  const call = async (planned: C, talk?: T): Promise<boolean> => {
    busy += 1;
    const { number: operation, abortAfter } = planned;
    const deadline = clock.now() + (timeOf(planned) ?? Infinity);
    const abort = new AbortController();
    record.add({ is: 'began', operation, planned, deadline });
    const timer =
      abortAfter === undefined
        ? undefined
        : clock.startTimer(abortAfter, () => {
            record.add({ is: 'aborted', operation });
            abort.abort(new Error('The caller aborted the call.'));
          });
    try {
      await perform(planned, { deadline, signal: abortAfter === undefined ? undefined : abort.signal }, talk);
      record.add({ is: 'ended', operation, error: undefined });
      return true;
    } catch (error) {
      record.add({ is: 'ended', operation, error });
      return false;
    } finally {
      timer?.cancel();
      busy -= 1;
    }
  };

  return {
    call: planned => call(planned),
    converse: async conversation => {
      busy += 1;
      const talk = begin?.(conversation);
      for (const planned of conversation.calls) await call(planned, talk);
      await talk?.session.endSession();
      busy -= 1;
    },
    get busy() {
      return busy;
    },
  };
};

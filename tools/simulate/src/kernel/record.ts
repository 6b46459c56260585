/** The facts of one history, in order. Invariants see nothing else. */
import type {
  Address,
  Clock,
  DriverEvent,
  EventSink,
  Millis,
  MongoError,
  ObjectId,
  Operation,
  RetryDecision,
  Selection,
  TopologyDescription,
} from '@tessera/contracts';
import type { HistoryEntry } from '@tessera/sim';
import type { Fault, Plan, PlannedCall } from './plan.js';

/** A request that the layers of the driver were given. */
export interface Dispatched {
  readonly number: number;
  /** The number of the session, or of the request itself if it came without a session. */
  readonly owner: number;
  readonly operation: Pick<Operation<unknown>, 'name' | 'kind' | 'retryable'>;
  readonly deadline: Millis;
}

export type Fact =
  | { readonly is: 'happening'; readonly happening: Fault }
  /** What a member did of itself. */
  | { readonly is: 'member'; readonly address: Address; readonly did: string }
  /** A member did the insert of this operation. */
  | { readonly is: 'applied'; readonly address: Address; readonly key: number }
  | {
      readonly is: 'began';
      readonly operation: number;
      readonly planned: PlannedCall;
      /** Infinity where there is none. */
      readonly deadline: Millis;
    }
  | { readonly is: 'aborted'; readonly operation: number }
  | { readonly is: 'ended'; readonly operation: number; readonly error: unknown }
  /** Pools are numbered: a server that leaves and comes back has another, beside the last connections of the one before. */
  | { readonly is: 'event'; readonly event: DriverEvent; readonly pool: number | undefined }
  /** Somebody asks a pool for a connection. */
  | { readonly is: 'asked'; readonly asker: number; readonly pool: number }
  /** It was handed out at once, or the promise of it has just resolved. */
  | { readonly is: 'given'; readonly asker: number; readonly pool: number; readonly connectionId: number }
  | { readonly is: 'denied'; readonly asker: number; readonly pool: number; readonly error: unknown }
  | {
      readonly is: 'cleared';
      readonly pool: number;
      readonly address: Address;
      readonly cause: MongoError;
      readonly serviceId: ObjectId | undefined;
    }
  /** What an operation's attempt wants; the description is that of the moment in which a server was chosen. */
  | {
      readonly is: 'selected';
      readonly selection: Selection;
      readonly at: Address | undefined;
      readonly avoid: readonly Address[];
      readonly address: Address;
      readonly description: TopologyDescription;
    }
  /** The deployment is told of an error; how often it cleared the pool of that server before and afterwards. */
  | { readonly is: 'reported'; readonly error: MongoError; readonly before: number; readonly after: number }
  | { readonly is: 'healed' }
  | { readonly is: 'closing' }
  | { readonly is: 'closed' }
  /** What the client has left open. */
  | { readonly is: 'leftover'; readonly what: string }
  | { readonly is: 'unhandled'; readonly reason: unknown }
  /** The driver's layers are handed a request. */
  | { readonly is: 'dispatched'; readonly request: Dispatched }
  | { readonly is: 'settled'; readonly request: Dispatched; readonly error: unknown }
  /** A connection was chosen, and the command is written to it: the next event of a command is that of this one. */
  | { readonly is: 'attempted'; readonly request: Dispatched }
  /** The session hears a reply. Times are the 64 bits of timestamps. */
  | {
      readonly is: 'heard';
      readonly request: Dispatched;
      readonly ok: boolean;
      readonly clusterTime: bigint | undefined;
      readonly operationTime: bigint | undefined;
    }
  /** What the retry policy says after these failures, for that chance. */
  | {
      readonly is: 'decided';
      readonly request: Dispatched;
      readonly failures: readonly MongoError[];
      readonly decision: RetryDecision;
      readonly chance: number;
    }
  /** A session that lives longer than one request begins, and ends. */
  | { readonly is: 'opened'; readonly owner: number; readonly session: 'cursor' | 'plain' | 'causal' }
  | { readonly is: 'released'; readonly owner: number }
  /** The server writes a reply to that request. */
  | { readonly is: 'answered'; readonly requestId: number }
  | { readonly is: 'crashed' }
  /** What writes have left behind in the end: how often each mark is there. */
  | { readonly is: 'found'; readonly marks: ReadonlyMap<string, number> }
  /** A replica set's: how much there is on all accounts together, read at one moment. */
  | { readonly is: 'summed'; readonly operation: number; readonly sum: number }
  /** A conversation reads its counter: what it knows of, and what it has tried. */
  | {
      readonly is: 'looked';
      readonly operation: number;
      readonly value: number;
      readonly least: number;
      readonly most: number;
    }
  /** The world stopped: a deadlock, or something was thrown into the event loop. */
  | { readonly is: 'thrown'; readonly error: unknown };

export interface Entry {
  readonly at: Millis;
  readonly fact: Fact;
}

export interface History {
  readonly plan: Plan;
  readonly entries: readonly Entry[];
}

/** A history with all timers and packets of its world. */
export interface Lived extends History {
  readonly packets: readonly HistoryEntry[];
}

export interface Record extends EventSink {
  readonly entries: readonly Entry[];
  add(fact: Fact): void;
}

/** @param commands whether to record the events of commands */
export const createRecord = (clock: Pick<Clock, 'now'>, commands: boolean): Record => {
  const entries: Entry[] = [];
  const add = (fact: Fact): void => void entries.push({ at: clock.now(), fact });
  return {
    entries,
    add,
    wants: name => (commands || !name.startsWith('command')) && name !== 'waitingForSuitableServer',
    emit: event => {
      add({ is: 'event', event, pool: undefined });
    },
  };
};

/** Records the facts of one history in order. Invariants read only these facts. */
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

/** A request that entered the layers of the driver. */
export interface Dispatched {
  readonly number: number;
  /** The number of the session, or of the request itself if it has no session. */
  readonly owner: number;
  readonly operation: Pick<Operation<unknown>, 'name' | 'kind' | 'retryable'>;
  readonly deadline: Millis;
}

export type Fact =
  | { readonly is: 'happening'; readonly happening: Fault }
  /** A member changed its own state. */
  | { readonly is: 'member'; readonly address: Address; readonly did: string }
  /** A member carried out the insert of this operation. */
  | { readonly is: 'applied'; readonly address: Address; readonly key: number }
  | {
      readonly is: 'began';
      readonly operation: number;
      readonly planned: PlannedCall;
      /** Infinity if the call has no deadline. */
      readonly deadline: Millis;
    }
  | { readonly is: 'aborted'; readonly operation: number }
  | { readonly is: 'ended'; readonly operation: number; readonly error: unknown }
  /**
   * An event of the driver. Pools are numbered because a server that leaves and returns gets a new pool, while
   * connections of the old one may still be open.
   */
  | { readonly is: 'event'; readonly event: DriverEvent; readonly pool: number | undefined }
  /** A check-out began. */
  | { readonly is: 'asked'; readonly checkOut: number; readonly pool: number }
  /** A check-out returned a connection, either at once or when its promise resolved. */
  | { readonly is: 'given'; readonly checkOut: number; readonly pool: number; readonly connectionId: number }
  /** A check-out failed. */
  | { readonly is: 'denied'; readonly checkOut: number; readonly pool: number; readonly error: unknown }
  | {
      readonly is: 'cleared';
      readonly pool: number;
      readonly address: Address;
      readonly cause: MongoError;
      readonly serviceId: ObjectId | undefined;
    }
  /** A server was selected for an attempt. The description is that of the moment of the selection. */
  | {
      readonly is: 'selected';
      readonly selection: Selection;
      readonly at: Address | undefined;
      readonly avoid: readonly Address[];
      readonly address: Address;
      readonly description: TopologyDescription;
    }
  /**
   * An error was reported to the deployment. Counts how often the pool of that server had been cleared before and
   * after.
   */
  | { readonly is: 'reported'; readonly error: MongoError; readonly before: number; readonly after: number }
  | { readonly is: 'healed' }
  | { readonly is: 'closing' }
  | { readonly is: 'closed' }
  /** A resource that the client left open. */
  | { readonly is: 'leftover'; readonly what: string }
  | { readonly is: 'unhandled'; readonly reason: unknown }
  /** A request entered the layers of the driver. */
  | { readonly is: 'dispatched'; readonly request: Dispatched }
  | { readonly is: 'settled'; readonly request: Dispatched; readonly error: unknown }
  /** A connection was selected, and the command is written to it. The next command event belongs to this request. */
  | { readonly is: 'attempted'; readonly request: Dispatched }
  /** A session received a reply. Times are the 64 bits of timestamps. */
  | {
      readonly is: 'heard';
      readonly request: Dispatched;
      readonly ok: boolean;
      readonly clusterTime: bigint | undefined;
      readonly operationTime: bigint | undefined;
    }
  /** The retry policy decided after these failures, with this random number. */
  | {
      readonly is: 'decided';
      readonly request: Dispatched;
      readonly failures: readonly MongoError[];
      readonly decision: RetryDecision;
      readonly chance: number;
    }
  /** A session that outlives one request was opened, or released. */
  | { readonly is: 'opened'; readonly owner: number; readonly session: 'cursor' | 'plain' | 'causal' }
  | { readonly is: 'released'; readonly owner: number }
  /** The server wrote a reply to this request. */
  | { readonly is: 'answered'; readonly requestId: number }
  | { readonly is: 'crashed' }
  /** How often each mark of a write exists at the end. */
  | { readonly is: 'found'; readonly marks: ReadonlyMap<string, number> }
  /** In a replica set: the sum of all accounts, read at one moment. */
  | { readonly is: 'summed'; readonly operation: number; readonly sum: number }
  /** A conversation read its counter. The value must lie between the confirmed and the attempted increments. */
  | {
      readonly is: 'looked';
      readonly operation: number;
      readonly value: number;
      readonly least: number;
      readonly most: number;
    }
  /** The world stopped because of a deadlock, or because an error was thrown into the event loop. */
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

/** What happened in one history, in order. Everything that invariants may look at is here, and nothing else. */
import type {
  Address,
  Clock,
  DriverEvent,
  EventSink,
  Millis,
  MongoError,
  ObjectId,
  Selection,
  TopologyDescription,
} from '@tessera/contracts';
import type { Happening, Plan, PlannedOperation } from './plan.js';

export type Fact =
  | { readonly is: 'happening'; readonly happening: Happening }
  /** What a member did of itself. */
  | { readonly is: 'member'; readonly address: Address; readonly did: string }
  /** A member did the insert of this operation. */
  | { readonly is: 'applied'; readonly address: Address; readonly key: number }
  | {
      readonly is: 'began';
      readonly operation: number;
      readonly planned: PlannedOperation;
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

export interface Record extends EventSink {
  readonly entries: readonly Entry[];
  add(fact: Fact): void;
}

export const createRecord = (clock: Pick<Clock, 'now'>): Record => {
  const entries: Entry[] = [];
  const add = (fact: Fact): void => void entries.push({ at: clock.now(), fact });
  return {
    entries,
    add,
    wants: name => !name.startsWith('command') && name !== 'waitingForSuitableServer',
    emit: event => {
      add({ is: 'event', event, pool: undefined });
    },
  };
};

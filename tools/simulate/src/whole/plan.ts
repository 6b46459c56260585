/** What is to happen in a history of the whole: the client's facade and the embedded server, in one world. */
import type { Millis } from '@tessera/contracts';
import { happeningText, row } from '../plan.js';
import type { PlannedSettings } from '../plan.js';

export type WriteKind =
  'insertOne' | 'insertMany' | 'updateOne' | 'findOneAndUpdate' | 'deleteOne' | 'bulkWrite' | 'updateMany';

export type CallKind = WriteKind | 'findOne' | 'find' | 'countDocuments' | 'distinct';

/** One call of the facade. */
export interface PlannedCall {
  /** Of this call alone; every command of it bears the number as its comment. */
  readonly number: number;
  readonly kind: CallKind;
  /** Of a write: `memory` is w: 1, which a crash may undo; nothing leaves it to the server. */
  readonly concern?: 'majority' | 'journaled' | 'memory';
  /** The read concern of a read. */
  readonly level?: 'local' | 'majority';
  readonly timeoutMS?: Millis;
  readonly abortAfter?: Millis;
}

/** What a fail point does to the next so many commands of these names. */
export interface PlannedFailure {
  readonly commands: readonly string[];
  readonly times: number;
  readonly errorCode?: number;
  readonly errorLabels?: readonly string[];
  readonly hangsUp?: boolean;
  /** Before it goes on, or fails. */
  readonly blocksFor?: Millis;
  /** The write is done, and its write concern is said to have failed with this code. */
  readonly concernCode?: number;
}

export type WholeHappening =
  | ({ readonly what: 'call' } & PlannedCall)
  /** The calls of one session of the application's own, one after another. */
  | { readonly what: 'converse'; readonly causal: boolean; readonly calls: readonly PlannedCall[] }
  | ({ readonly what: 'fail' } & PlannedFailure)
  /** The server is gone for so long; what was not journaled is lost. */
  | { readonly what: 'crash'; readonly lasting: Millis }
  | { readonly what: 'reset' }
  | { readonly what: 'partition'; readonly lasting: Millis }
  | { readonly what: 'silence'; readonly lasting: Millis }
  | { readonly what: 'refuse'; readonly lasting: Millis }
  | { readonly what: 'slow'; readonly by: Millis; readonly lasting: Millis }
  | { readonly what: 'mishaps'; readonly reset: number; readonly stall: number; readonly lasting: Millis }
  | { readonly what: 'closeClient' };

export type WholeEvent = { readonly at: Millis } & WholeHappening;

export interface WholePlan {
  readonly seed: number;
  readonly kind: 'whole';
  readonly server: {
    readonly version: string;
    readonly journalInterval: Millis;
    /** Beyond which it says that it is overloaded. */
    readonly capacity?: { readonly serviceTime: Millis; readonly queue: number };
    /** One way, from the client. */
    readonly distance: Millis;
  };
  readonly splitsWrites: boolean;
  readonly settings: PlannedSettings;
  /** By time. */
  readonly events: readonly WholeEvent[];
  /** When every fault ends. */
  readonly healAt: Millis;
}

const writes: ReadonlySet<CallKind> = new Set<WriteKind>([
  'insertOne',
  'insertMany',
  'updateOne',
  'findOneAndUpdate',
  'deleteOne',
  'bulkWrite',
  'updateMany',
]);

export const isWrite = (kind: CallKind): kind is WriteKind => writes.has(kind);

/** What a call leaves behind when it is done: each mark once. */
export const marksOf = ({ kind, number }: Pick<PlannedCall, 'kind' | 'number'>): readonly string[] => {
  if (!isWrite(kind)) return [];
  const count = kind === 'insertMany' || kind === 'bulkWrite' ? 3 : 1;
  return Array.from({ length: count }, (_, index) => `${number}.${index}`);
};

/** All calls of a plan, in the order in which they are planned. */
export const callsOf = ({ events }: WholePlan): readonly PlannedCall[] =>
  events.flatMap(event => {
    if (event.what === 'converse') return event.calls;
    return event.what === 'call' ? [event] : [];
  });

export const wholePlanText = ({ seed, server, splitsWrites, settings, events, healAt }: WholePlan): string =>
  [
    `seed ${seed}: the whole, ${JSON.stringify(server).replaceAll('"', '')}${splitsWrites ? ', writes are split' : ''}`,
    Object.entries(settings)
      .map(([name, value]) => `${name}=${String(value)}`)
      .join(' '),
    ...events.map(event => row(event.at, 'plan', happeningText(event)).trimEnd()),
    row(healAt, 'plan', 'every fault ends').trimEnd(),
    '',
  ].join('\n');

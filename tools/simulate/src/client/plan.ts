/** What is to happen in a history of the client: its facade and an embedded server, in one world. */
import type { Document, Millis } from '@tessera/contracts';
import type { Lasting, PlannedMishaps } from '../kernel/faults.js';
import type { Plan, PlannedCall } from '../kernel/plan.js';
import { valueText } from '../kernel/words.js';

export type WriteKind =
  'insertOne' | 'insertMany' | 'updateOne' | 'findOneAndUpdate' | 'deleteOne' | 'bulkWrite' | 'updateMany';

export type CallKind = WriteKind | 'findOne' | 'find' | 'countDocuments' | 'distinct';

/** One call of the facade; every command of it bears its number as its comment. */
export interface ClientCall extends PlannedCall {
  readonly kind: CallKind;
  /** Of a write: `memory` is w: 1, which a crash may undo; nothing leaves it to the server. */
  readonly concern?: 'majority' | 'journaled' | 'memory';
  /** The read concern of a read. */
  readonly level?: 'local' | 'majority';
}

export type ClientFault =
  /** A fail point of the next so many commands, with the data that configureFailPoint takes. */
  | { readonly what: 'fail'; readonly times: number; readonly data: Document }
  /** The server is gone for so long; what was not journaled is lost. */
  | ({ readonly what: 'crash' } & Lasting)
  | { readonly what: 'reset' }
  | ({ readonly what: 'partition' | 'silence' | 'refuse' } & Lasting)
  | ({ readonly what: 'slow'; readonly by: Millis } & Lasting)
  | ({ readonly what: 'mishaps' } & PlannedMishaps & Lasting);

export interface ClientPlan extends Plan<ClientCall, ClientFault> {
  readonly server: {
    readonly version: string;
    readonly journalInterval: Millis;
    /** Beyond which it says that it is overloaded. */
    readonly capacity?: { readonly serviceTime: Millis; readonly queue: number };
    /** One way, from the client. */
    readonly distance: Millis;
  };
}

const reads: ReadonlySet<CallKind> = new Set(['findOne', 'find', 'countDocuments', 'distinct']);

export const isWrite = (kind: CallKind): kind is WriteKind => !reads.has(kind);

/** What a call leaves behind when it is done: each mark once. */
export const marksOf = ({ kind, number }: Pick<ClientCall, 'kind' | 'number'>): readonly string[] => {
  if (!isWrite(kind)) return [];
  const count = kind === 'insertMany' || kind === 'bulkWrite' ? 3 : 1;
  return Array.from({ length: count }, (_, index) => `${number}.${index}`);
};

export const deploymentText = ({ server }: ClientPlan): string => `a client and a server, ${valueText(server)}`;

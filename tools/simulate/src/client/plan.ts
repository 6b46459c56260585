/** The plan of a history of the client: its facade and one embedded server in one world. */
import type { Document, Millis } from '@tessera/contracts';
import type { Lasting, PlannedMishaps } from '../kernel/faults.js';
import type { Plan, PlannedCall } from '../kernel/plan.js';
import { valueText } from '../kernel/words.js';

export type WriteKind =
  | 'insertOne'
  | 'insertMany'
  | 'updateOne'
  | 'findOneAndUpdate'
  | 'deleteOne'
  | 'bulkWrite'
  | 'updateMany';

export type CallKind = WriteKind | 'findOne' | 'find' | 'countDocuments' | 'distinct';

/** One call of the facade. All its commands have its number as their comment. */
export interface ClientCall extends PlannedCall {
  readonly kind: CallKind;
  /**
   * The write concern of a write. `memory` is w: 1, which a crash may undo. Undefined uses the default of the server.
   */
  readonly concern?: 'majority' | 'journaled' | 'memory';
  /** The read concern of a read. */
  readonly level?: 'local' | 'majority';
}

export type ClientFault =
  /** Sets a fail point for the next `times` commands, with the data of configureFailPoint. */
  | { readonly what: 'fail'; readonly times: number; readonly data: Document }
  /** The server is down for `lasting`, and loses writes that are not journaled. */
  | ({ readonly what: 'crash' } & Lasting)
  | { readonly what: 'reset' }
  | ({ readonly what: 'partition' | 'silence' | 'refuse' } & Lasting)
  | ({ readonly what: 'slow'; readonly by: Millis } & Lasting)
  | ({ readonly what: 'mishaps' } & PlannedMishaps & Lasting);

export interface ClientPlan extends Plan<ClientCall, ClientFault> {
  readonly server: {
    readonly version: string;
    readonly journalInterval: Millis;
    /** The load above which the server reports that it is overloaded. */
    readonly capacity?: { readonly serviceTime: Millis; readonly queue: number };
    /** The latency from the client, one way. */
    readonly distance: Millis;
  };
}

const reads: ReadonlySet<CallKind> = new Set(['findOne', 'find', 'countDocuments', 'distinct']);

export const isWrite = (kind: CallKind): kind is WriteKind => !reads.has(kind);

/** Returns the marks that a call leaves once when it is carried out. */
export const marksOf = ({ kind, number }: Pick<ClientCall, 'kind' | 'number'>): readonly string[] => {
  if (!isWrite(kind)) return [];
  const count = kind === 'insertMany' || kind === 'bulkWrite' ? 3 : 1;
  return Array.from({ length: count }, (_, index) => `${number}.${index}`);
};

export const deploymentText = ({ server }: ClientPlan): string => `a client and a server, ${valueText(server)}`;

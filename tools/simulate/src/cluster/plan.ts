/** The plan of a history of a replica set of embedded servers, whose primary changes. */
import type { Millis, ReadPreferenceMode } from '@tessera/contracts';
import type { Lasting, PlannedMishaps } from '../kernel/faults.js';
import type { Plan, PlannedCall } from '../kernel/plan.js';
import { valueText } from '../kernel/words.js';

export type ClusterCall =
  /** Inserts a document with its own mark. */
  | (PlannedCall & { readonly kind: 'insert'; readonly w: 'majority' | 1 })
  /** Appends its mark to a list in one document. */
  | (PlannedCall & { readonly kind: 'push'; readonly w: 'majority' | 1 })
  /** A transaction that moves an amount between two accounts and leaves a mark. It may abort at its end. */
  | (PlannedCall & {
      readonly kind: 'transfer';
      readonly from: number;
      readonly to: number;
      readonly amount: number;
      readonly aborts: boolean;
    })
  /** Reads the sum of all accounts, one account after another. */
  | (PlannedCall & { readonly kind: 'sum'; readonly by: 'transaction' | 'snapshot'; readonly mode: ReadPreferenceMode })
  /** Increments the counter of a conversation. */
  | (PlannedCall & { readonly kind: 'count' })
  /** Reads the counter of a conversation. */
  | (PlannedCall & { readonly kind: 'look'; readonly mode: ReadPreferenceMode });

interface OfMember {
  readonly member: number;
}

export type ClusterFault =
  | { readonly what: 'stepDown' }
  | ({ readonly what: 'elect' } & OfMember)
  /** The process is down for `lasting`, and loses writes that are not journaled. Defaults to the primary. */
  | ({ readonly what: 'crash' } & Partial<OfMember> & Lasting)
  | ({ readonly what: 'shutDown'; readonly quiesce: Millis } & OfMember & Lasting)
  /** Partitions the primary of that moment and `others` other members from the rest. */
  | ({ readonly what: 'part'; readonly others: number } & Lasting)
  | ({ readonly what: 'lag'; readonly by: Millis } & OfMember & Lasting)
  | ({ readonly what: 'freeze' } & OfMember & Lasting)
  /** Resets connections of the client. */
  | ({ readonly what: 'reset' } & OfMember)
  | ({ readonly what: 'cutOff' } & OfMember & Lasting)
  | ({ readonly what: 'mishaps' } & PlannedMishaps & Lasting);

export interface ClusterPlan extends Plan<ClusterCall, ClusterFault> {
  readonly server: {
    readonly version: string;
    readonly journalInterval: Millis;
    readonly members: number;
    readonly electionTimeoutMillis: Millis;
    /** The latency between members, one way. */
    readonly latency: Millis;
    /** The latency from the client, one way. */
    readonly distance: Millis;
  };
}

export const accounts = 4;
export const startBalance = 100;

/** Returns the mark that a call leaves when it is carried out. */
export const markOf = ({ number }: Pick<ClusterCall, 'number'>): string => String(number);

export const leavesMark = ({ kind }: ClusterCall): boolean =>
  kind === 'insert' || kind === 'push' || kind === 'transfer';

export const deploymentText = ({ server }: ClusterPlan): string => `a client and a replica set, ${valueText(server)}`;

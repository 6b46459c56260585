/** What is to happen in a history of a replica set: its members are servers, and who is primary changes. */
import type { Millis, ReadPreferenceMode } from '@tessera/contracts';
import type { Lasting, PlannedMishaps } from '../kernel/faults.js';
import type { Plan, PlannedCall } from '../kernel/plan.js';
import { valueText } from '../kernel/words.js';

export type ClusterCall =
  /** A document with a mark of its own. */
  | (PlannedCall & { readonly kind: 'insert'; readonly w: 'majority' | 1 })
  /** The mark goes into a list of one document. */
  | (PlannedCall & { readonly kind: 'push'; readonly w: 'majority' | 1 })
  /** A transaction: from one account to the other, with a mark; or all of it, and then not at all. */
  | (PlannedCall & {
      readonly kind: 'transfer';
      readonly from: number;
      readonly to: number;
      readonly amount: number;
      readonly aborts: boolean;
    })
  /** How much there is on all accounts together, read one after the other. */
  | (PlannedCall & { readonly kind: 'sum'; readonly by: 'transaction' | 'snapshot'; readonly mode: ReadPreferenceMode })
  /** One more in the counter of a conversation. */
  | (PlannedCall & { readonly kind: 'count' })
  /** What the counter of a conversation is at. */
  | (PlannedCall & { readonly kind: 'look'; readonly mode: ReadPreferenceMode });

interface OfMember {
  readonly member: number;
}

export type ClusterFault =
  | { readonly what: 'stepDown' }
  | ({ readonly what: 'elect' } & OfMember)
  /** The process is gone for so long; what was not journaled is lost. Without a member: the primary. */
  | ({ readonly what: 'crash' } & Partial<OfMember> & Lasting)
  | ({ readonly what: 'shutDown'; readonly quiesce: Millis } & OfMember & Lasting)
  /** The primary of that moment and so many others do not hear the rest. */
  | ({ readonly what: 'part'; readonly others: number } & Lasting)
  | ({ readonly what: 'lag'; readonly by: Millis } & OfMember & Lasting)
  | ({ readonly what: 'freeze' } & OfMember & Lasting)
  /** Of the client's network. */
  | ({ readonly what: 'reset' } & OfMember)
  | ({ readonly what: 'cutOff' } & OfMember & Lasting)
  | ({ readonly what: 'mishaps' } & PlannedMishaps & Lasting);

export interface ClusterPlan extends Plan<ClusterCall, ClusterFault> {
  readonly server: {
    readonly version: string;
    readonly journalInterval: Millis;
    readonly members: number;
    readonly electionTimeoutMillis: Millis;
    /** One way, between members. */
    readonly latency: Millis;
    /** One way, from the client. */
    readonly distance: Millis;
  };
}

export const accounts = 4;
export const startBalance = 100;

/** What a call leaves behind when it is done. */
export const markOf = ({ number }: Pick<ClusterCall, 'number'>): string => String(number);

export const leavesMark = ({ kind }: ClusterCall): boolean =>
  kind === 'insert' || kind === 'push' || kind === 'transfer';

export const deploymentText = ({ server }: ClusterPlan): string => `a client and a replica set, ${valueText(server)}`;

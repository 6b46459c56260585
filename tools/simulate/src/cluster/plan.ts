/** What is to happen in a history of a replica set: its members are servers, and who is primary changes. */
import type { Millis, ReadPreferenceMode } from '@tessera/contracts';
import { happeningText, row } from '../plan.js';
import type { PlannedSettings } from '../plan.js';

interface Planned {
  /** Of this call alone. */
  readonly number: number;
  readonly timeoutMS?: Millis;
}

export type ClusterCall =
  /** A document with a mark of its own. */
  | (Planned & { readonly kind: 'insert'; readonly w: 'majority' | 1 })
  /** The mark goes into a list of one document. */
  | (Planned & { readonly kind: 'push'; readonly w: 'majority' | 1 })
  /** A transaction: from one account to the other, with a mark; or all of it, and then not at all. */
  | (Planned & {
      readonly kind: 'transfer';
      readonly from: number;
      readonly to: number;
      readonly amount: number;
      readonly aborts: boolean;
    })
  /** How much there is on all accounts together, read one after the other. */
  | (Planned & { readonly kind: 'sum'; readonly by: 'transaction' | 'snapshot'; readonly mode: ReadPreferenceMode })
  /** One more in the counter of a conversation. */
  | (Planned & { readonly kind: 'count' })
  /** What the counter of a conversation is at. */
  | (Planned & { readonly kind: 'look'; readonly mode: ReadPreferenceMode });

export type ClusterHappening =
  | { readonly what: 'call'; readonly call: ClusterCall }
  /** In one causally consistent session, one after another, with read and write concern majority. */
  | { readonly what: 'converse'; readonly calls: readonly ClusterCall[] }
  | { readonly what: 'stepDown' }
  | { readonly what: 'elect'; readonly member: number }
  /** The process is gone for so long; what was not journaled is lost. Without a member: the primary. */
  | { readonly what: 'crash'; readonly member?: number; readonly lasting: Millis }
  | { readonly what: 'shutDown'; readonly member: number; readonly quiesce: Millis; readonly lasting: Millis }
  /** The primary of that moment and so many others do not hear the rest. */
  | { readonly what: 'part'; readonly others: number; readonly lasting: Millis }
  | { readonly what: 'lag'; readonly member: number; readonly by: Millis; readonly lasting: Millis }
  | { readonly what: 'freeze'; readonly member: number; readonly lasting: Millis }
  /** Of the client's network. */
  | { readonly what: 'reset'; readonly member: number }
  | { readonly what: 'cutOff'; readonly member: number; readonly lasting: Millis }
  | { readonly what: 'mishaps'; readonly reset: number; readonly stall: number; readonly lasting: Millis };

export type ClusterEvent = { readonly at: Millis } & ClusterHappening;

export interface ClusterPlan {
  readonly seed: number;
  readonly kind: 'cluster';
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
  readonly settings: PlannedSettings;
  /** By time. */
  readonly events: readonly ClusterEvent[];
  /** When every fault ends. */
  readonly healAt: Millis;
}

export const accounts = 4;
export const startBalance = 100;

/** What a call leaves behind when it is done. */
export const markOf = ({ number }: ClusterCall): string => String(number);

export const leavesMark = ({ kind }: ClusterCall): boolean =>
  kind === 'insert' || kind === 'push' || kind === 'transfer';

export const callsOf = ({ events }: ClusterPlan): readonly ClusterCall[] =>
  events.flatMap(event => {
    if (event.what === 'converse') return event.calls;
    return event.what === 'call' ? [event.call] : [];
  });

export const clusterPlanText = ({ seed, server, settings, events, healAt }: ClusterPlan): string =>
  [
    `seed ${seed}: a replica set, ${JSON.stringify(server).replaceAll('"', '')}`,
    Object.entries(settings)
      .map(([name, value]) => `${name}=${String(value)}`)
      .join(' '),
    ...events.map(event => row(event.at, 'plan', happeningText(event)).trimEnd()),
    row(healAt, 'plan', 'every fault ends').trimEnd(),
    '',
  ].join('\n');

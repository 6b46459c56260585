/** What is to happen in one history, as data: it can be printed, and cut down. All times are virtual milliseconds. */
import type { Address, Millis, ReadPreferenceMode, TagSet } from '@tessera/contracts';

export type DeploymentKind = 'standalone' | 'replicaSet' | 'sharded' | 'loadBalanced';

/** What a member of a replica set is there for; other deployments have `data` only. */
export type Part = 'data' | 'arbiter' | 'hidden';

export interface PlannedMember {
  readonly address: Address;
  readonly part: Part;
  readonly tags: TagSet;
  /** One way, from the client. */
  readonly distance: Millis;
}

/** Options of the client, under their own names. */
export interface PlannedSettings {
  readonly heartbeatFrequencyMS: Millis;
  readonly connectTimeoutMS: Millis;
  readonly socketTimeoutMS: Millis;
  readonly serverSelectionTimeoutMS: Millis;
  readonly localThresholdMS: Millis;
  readonly serverMonitoringMode: 'auto' | 'poll' | 'stream';
  readonly maxPoolSize: number;
  readonly minPoolSize: number;
  readonly maxConnecting: number;
  readonly maxIdleTimeMS: Millis;
  readonly waitQueueTimeoutMS: Millis;
  readonly retryReads: boolean;
  readonly retryWrites: boolean;
}

/** What a caller asks for. */
export interface PlannedOperation {
  readonly kind: 'insert' | 'find' | 'scan';
  readonly mode: ReadPreferenceMode;
  readonly tags?: readonly TagSet[];
  readonly maxStalenessSeconds?: number;
  /** From its beginning. */
  readonly timeoutMS?: Millis;
  readonly abortAfter?: Millis;
}

export type Happening =
  | ({ readonly what: 'operate' } & PlannedOperation)
  /** It wins an election. The primary before it learns of that so much later, and takes itself for the primary until then. */
  | { readonly what: 'elect'; readonly member: Address; readonly unnoticedFor: Millis }
  /** The primary steps down; nobody is elected. */
  | { readonly what: 'stepDown' }
  /** It says for `notice` that it is shutting down, is gone for `lasting`, and comes back as another process. */
  | { readonly what: 'restart'; readonly member: Address; readonly notice: Millis; readonly lasting: Millis }
  /** It neither reads nor writes: RECOVERING. */
  | { readonly what: 'recover'; readonly member: Address; readonly lasting: Millis }
  | { readonly what: 'remove'; readonly member: Address }
  | { readonly what: 'add'; readonly member: Address }
  /** Its answers take so much longer. */
  | { readonly what: 'slow'; readonly member: Address; readonly by: Millis; readonly lasting: Millis }
  /** Its replication is so far behind. */
  | { readonly what: 'lag'; readonly member: Address; readonly by: Millis }
  /** It does the next command, and hangs up instead of answering. */
  | { readonly what: 'hangUp'; readonly member: Address }
  | { readonly what: 'reset'; readonly member: Address }
  | { readonly what: 'partition'; readonly member: Address; readonly lasting: Millis }
  | { readonly what: 'silence'; readonly member: Address; readonly lasting: Millis }
  | { readonly what: 'refuse'; readonly member: Address; readonly lasting: Millis }
  | { readonly what: 'mishaps'; readonly reset: number; readonly stall: number; readonly lasting: Millis }
  | { readonly what: 'wallClock'; readonly by: Millis }
  | { readonly what: 'closeClient' };

export type PlannedEvent = { readonly at: Millis } & Happening;

export interface Plan {
  readonly seed: number;
  readonly kind: DeploymentKind;
  readonly members: readonly PlannedMember[];
  readonly seeds: readonly Address[];
  /** The option replicaSet is given. */
  readonly namesSet: boolean;
  /** The option directConnection: the first member of a set, whatever it is, and no other. */
  readonly direct: boolean;
  /** The network cuts what is written into pieces. */
  readonly splitsWrites: boolean;
  readonly settings: PlannedSettings;
  /** By time. */
  readonly events: readonly PlannedEvent[];
  /** When every fault ends. */
  readonly healAt: Millis;
}

const valueText = (value: unknown): string => JSON.stringify(value).replaceAll('"', '');

/** Everything that is set, by name. */
export const wordsOf = (fields: Readonly<Record<string, unknown>>): string =>
  Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${valueText(value)}`)
    .join(' ');

/** A line of a plan or a time line: when, who, what. */
export const row = (at: Millis, who: string, what: string): string =>
  `${at.toFixed(3).padStart(11)}  ${who.padEnd(10)}  ${what}\n`;

/** One line: what happens, then the rest by name. */
export const happeningText = (happening: { readonly what: string }): string => {
  const { what, at: _, ...rest } = happening as { readonly what: string; readonly at?: Millis };
  return `${what} ${wordsOf(rest)}`.trimEnd();
};

/** The plan of a history of the driver's layers below the facade, with the scripted members of a deployment. */
import type { Address, Millis, ReadPreferenceMode, TagSet } from '@tessera/contracts';
import type { Lasting, PlannedMishaps } from '../kernel/faults.js';
import type { Plan, PlannedCall } from '../kernel/plan.js';

/** The part of a member in a replica set. Members of other deployments are always `data`. */
export type Part = 'data' | 'arbiter' | 'hidden';

export interface PlannedMember {
  readonly address: Address;
  readonly part: Part;
  readonly tags: TagSet;
  /** The latency from the client, one way. */
  readonly distance: Millis;
}

/** The operation of one call. */
export interface PlannedOperation extends PlannedCall {
  readonly kind: 'insert' | 'find' | 'scan';
  readonly mode: ReadPreferenceMode;
  readonly tags?: readonly TagSet[];
  readonly maxStalenessSeconds?: number;
}

interface OfMember {
  readonly member: Address;
}

export type MemberFault =
  /**
   * The member wins an election. The previous primary learns of it after `unnoticedFor`, and acts as the primary until
   * then.
   */
  | ({ readonly what: 'elect'; readonly unnoticedFor: Millis } & OfMember)
  /** The primary steps down, and no member is elected. */
  | { readonly what: 'stepDown' }
  /** The member announces its shutdown for `notice`, is down for `lasting`, and returns as another process. */
  | ({ readonly what: 'restart'; readonly notice: Millis } & OfMember & Lasting)
  /** The member is RECOVERING: it neither reads nor writes. */
  | ({ readonly what: 'recover' } & OfMember & Lasting)
  | ({ readonly what: 'remove' | 'add' } & OfMember)
  /** The member delays its replies by this time. */
  | ({ readonly what: 'slow'; readonly by: Millis } & OfMember & Lasting)
  /** The member's replication is behind by this time. */
  | ({ readonly what: 'lag'; readonly by: Millis } & OfMember)
  /** The member executes the next command, and closes the connection instead of replying. */
  | ({ readonly what: 'hangUp' } & OfMember)
  | ({ readonly what: 'reset' } & OfMember)
  | ({ readonly what: 'partition' | 'silence' | 'refuse' } & OfMember & Lasting)
  | ({ readonly what: 'mishaps' } & PlannedMishaps & Lasting)
  | { readonly what: 'wallClock'; readonly by: Millis };

export interface MembersPlan extends Plan<PlannedOperation, MemberFault> {
  readonly members: readonly PlannedMember[];
  readonly seeds: readonly Address[];
  /** Whether the option replicaSet is set. */
  readonly namesSet: boolean;
  /**
   * Whether the option directConnection is set. The client then connects to the first member only.
   */
  readonly direct: boolean;
}

const memberText = ({ address, part, tags, distance }: PlannedMember): string =>
  `${address} (${part}${tags['dc'] === undefined ? '' : ` ${tags['dc']}`}, ${distance} ms)`;

export const deploymentText = ({ deployment, members, seeds, direct }: MembersPlan): string =>
  `${deployment} of ${members.map(memberText).join(', ')}; ` +
  `seeds ${seeds.join(', ')}${direct ? ' (directConnection)' : ''}`;

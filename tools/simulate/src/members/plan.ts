/** What is to happen in a history of the driver's layers below the facade: members of a deployment speak as they are told. */
import type { Address, Millis, ReadPreferenceMode, TagSet } from '@tessera/contracts';
import type { Lasting, PlannedMishaps } from '../kernel/faults.js';
import type { Plan, PlannedCall } from '../kernel/plan.js';

/** What a member of a replica set is there for; other deployments have `data` only. */
export type Part = 'data' | 'arbiter' | 'hidden';

export interface PlannedMember {
  readonly address: Address;
  readonly part: Part;
  readonly tags: TagSet;
  /** One way, from the client. */
  readonly distance: Millis;
}

/** What a caller asks for. */
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
  /** It wins an election. The primary before it learns of that so much later, and takes itself for the primary until then. */
  | ({ readonly what: 'elect'; readonly unnoticedFor: Millis } & OfMember)
  /** The primary steps down; nobody is elected. */
  | { readonly what: 'stepDown' }
  /** It says for `notice` that it is shutting down, is gone for `lasting`, and comes back as another process. */
  | ({ readonly what: 'restart'; readonly notice: Millis } & OfMember & Lasting)
  /** It neither reads nor writes: RECOVERING. */
  | ({ readonly what: 'recover' } & OfMember & Lasting)
  | ({ readonly what: 'remove' | 'add' } & OfMember)
  /** Its answers take so much longer. */
  | ({ readonly what: 'slow'; readonly by: Millis } & OfMember & Lasting)
  /** Its replication is so far behind. */
  | ({ readonly what: 'lag'; readonly by: Millis } & OfMember)
  /** It does the next command, and hangs up instead of answering. */
  | ({ readonly what: 'hangUp' } & OfMember)
  | ({ readonly what: 'reset' } & OfMember)
  | ({ readonly what: 'partition' | 'silence' | 'refuse' } & OfMember & Lasting)
  | ({ readonly what: 'mishaps' } & PlannedMishaps & Lasting)
  | { readonly what: 'wallClock'; readonly by: Millis };

export interface MembersPlan extends Plan<PlannedOperation, MemberFault> {
  readonly members: readonly PlannedMember[];
  readonly seeds: readonly Address[];
  /** The option replicaSet is given. */
  readonly namesSet: boolean;
  /** The option directConnection: the first member of a set, whatever it is, and no other. */
  readonly direct: boolean;
}

const memberText = ({ address, part, tags, distance }: PlannedMember): string =>
  `${address} (${part}${tags['dc'] === undefined ? '' : ` ${tags['dc']}`}, ${distance} ms)`;

export const deploymentText = ({ deployment, members, seeds, direct }: MembersPlan): string =>
  `${deployment} of ${members.map(memberText).join(', ')}; ` +
  `seeds ${seeds.join(', ')}${direct ? ' (directConnection)' : ''}`;

import { defined } from '@tessera-tools/house';
import type { Address, Document, ObjectId, TopologyVersion } from '@tessera/contracts';
import type { DeploymentKind } from '../../kernel/plan.js';
import type { PlannedMember } from '../plan.js';
import type { Belief } from './roles.js';

export interface HelloFacts {
  readonly deployment: DeploymentKind;
  readonly member: { readonly planned: PlannedMember; readonly belief: Belief };
  /** The part of each member of the set. */
  readonly parts: ReadonlyMap<Address, PlannedMember['part']>;
  /** Whether the command was `isMaster`. */
  readonly isLegacy: boolean;
  readonly topologyVersion: TopologyVersion;
  readonly electionId: ObjectId | undefined;
  readonly serviceId: ObjectId | undefined;
  readonly connectionId: number;
  readonly wallTime: number;
}

/**
 * Returns the reply to hello. Specification: Server Discovery and Monitoring, "Parsing a hello or legacy hello
 * response".
 */
export const helloReply = (facts: HelloFacts): Document => ({
  ...(facts.deployment === 'replicaSet' ? memberFields(facts) : writable(facts, true)),
  ...(facts.deployment === 'sharded' || facts.deployment === 'loadBalanced' ? { msg: 'isdbgrid' } : {}),
  ...defined({ serviceId: facts.serviceId }),
  helloOk: true,
  topologyVersion: facts.topologyVersion,
  maxBsonObjectSize: 16_777_216,
  maxMessageSizeBytes: 48_000_000,
  maxWriteBatchSize: 100_000,
  logicalSessionTimeoutMinutes: 30,
  connectionId: facts.connectionId,
  minWireVersion: 0,
  maxWireVersion: 25,
  ok: 1,
});

const writable = ({ isLegacy }: HelloFacts, is: boolean): Document =>
  isLegacy ? { ismaster: is } : { isWritablePrimary: is };

const memberFields = (facts: HelloFacts): Document => {
  const { parts, electionId, wallTime } = facts;
  const { address, tags } = facts.member.planned;
  const { role, configuration, lag, ...belief } = facts.member.belief;
  if (role.is === 'removed') return { ...writable(facts, false), secondary: false, isreplicaset: true };
  const listed = (part: PlannedMember['part']): readonly Address[] =>
    configuration.members.filter(other => parts.get(other) === part);
  const primary = role.is === 'primary' ? address : belief.primary;
  return {
    ...writable(facts, role.is === 'primary'),
    secondary: role.is === 'secondary' || role.is === 'hidden',
    ...(role.is === 'arbiter' ? { arbiterOnly: true } : {}),
    ...(role.is === 'hidden' ? { hidden: true } : {}),
    setName: 'rs',
    setVersion: configuration.version,
    hosts: listed('data'),
    arbiters: listed('arbiter'),
    me: address,
    ...defined({ primary, electionId }),
    tags,
    lastWrite: { lastWriteDate: new Date(wallTime - lag) },
  };
};

const names: Readonly<Record<number, string>> = {
  91: 'ShutdownInProgress',
  10107: 'NotWritablePrimary',
  11600: 'InterruptedAtShutdown',
  11602: 'InterruptedDueToReplStateChange',
  13435: 'NotPrimaryNoSecondaryOk',
  13436: 'NotPrimaryOrSecondary',
};

/**
 * Returns the error of a server that may not execute a command in its state. The server adds the label. Specification:
 * Retryable Writes.
 */
export const failureReply = (code: number, topologyVersion: TopologyVersion): Document => ({
  ok: 0,
  code,
  codeName: names[code],
  errmsg: `${names[code] ?? 'failed'} in this history`,
  errorLabels: ['RetryableWriteError'],
  topologyVersion,
});

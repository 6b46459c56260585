import type { Address, Document, ObjectId, TopologyVersion } from '@tessera/contracts';
import type { DeploymentKind, PlannedMember } from '../plan.js';
import type { Belief } from './roles.js';

export interface HelloFacts {
  readonly kind: DeploymentKind;
  readonly member: PlannedMember;
  readonly planned: ReadonlyMap<Address, PlannedMember>;
  readonly belief: Belief;
  /** Asked by `isMaster`. */
  readonly isLegacy: boolean;
  readonly topologyVersion: TopologyVersion;
  readonly electionId: ObjectId | undefined;
  readonly serviceId: ObjectId | undefined;
  readonly connectionId: number;
  readonly wallTime: number;
}

/** What a member says of itself. Rule: Server Discovery and Monitoring, "Parsing a hello or legacy hello response". */
export const helloReply = (facts: HelloFacts): Document => ({
  ...(facts.kind === 'replicaSet' ? memberFields(facts) : writable(facts, true)),
  ...(facts.kind === 'sharded' || facts.kind === 'loadBalanced' ? { msg: 'isdbgrid' } : {}),
  ...(facts.serviceId === undefined ? {} : { serviceId: facts.serviceId }),
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
  const { belief, member, electionId, wallTime } = facts;
  const { role, configuration } = belief;
  if (role.is === 'removed') return { ...writable(facts, false), secondary: false, isreplicaset: true };
  const listed = (arbiters: boolean): readonly Address[] =>
    configuration.members.filter(address => {
      const part = facts.planned.get(address)?.part;
      return arbiters ? part === 'arbiter' : part === 'data';
    });
  return {
    ...writable(facts, role.is === 'primary'),
    secondary: role.is === 'secondary' || role.is === 'hidden',
    ...(role.is === 'arbiter' ? { arbiterOnly: true } : {}),
    ...(role.is === 'hidden' ? { hidden: true } : {}),
    setName: 'rs',
    setVersion: configuration.version,
    hosts: listed(false),
    arbiters: listed(true),
    me: member.address,
    ...(role.is === 'primary'
      ? { primary: member.address }
      : belief.primary === undefined
        ? {}
        : { primary: belief.primary }),
    ...(electionId === undefined ? {} : { electionId }),
    tags: member.tags,
    lastWrite: { lastWriteDate: new Date(wallTime - belief.lag) },
  };
};

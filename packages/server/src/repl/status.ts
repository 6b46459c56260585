import type { Entry } from '@tessera/mql/engine';
import { DateValue, Doc, double } from '@tessera/mql/engine';
import { opTimeDoc } from '@tessera/store';
import type { Call, Command, Fields } from '../commands/command.js';
import { command } from '../commands/command.js';
import type { Member, MemberState } from './member.js';
import { memberOf } from './member-of.js';
import type { ReplicaSet } from './replica-set.js';
import type { MemberConfig } from './set-config.js';
import { dataBearing, majorityVotes, votersOf, writeMajority } from './set-config.js';

/** Rule: "Replica Set Member States". */
const stateNumbers: Readonly<Record<MemberState, readonly [number, string]>> = {
  startup: [0, 'STARTUP'],
  primary: [1, 'PRIMARY'],
  secondary: [2, 'SECONDARY'],
  recovering: [3, 'RECOVERING'],
  arbiter: [7, 'ARBITER'],
  removed: [10, 'REMOVED'],
};

const down: readonly [number, string] = [8, '(not reachable/healthy)'];

const ago = (call: Call, since: number): number => Math.floor((call.engine.clock.now() - since) / 1000);

const placeOf = (member: Member): Fields => [
  ['optime', opTimeDoc(member.opTime)],
  ['optimeDate', member.lastWriteDate],
];

const electionOf = (member: Member): Fields =>
  member.isPrimary
    ? [
        ['electionTime', member.election.at.ts],
        ['electionDate', member.election.date],
      ]
    : [];

const versionOf = (member: Member): Fields => [
  ['configVersion', member.setVersion],
  ['configTerm', member.config.term],
];

/** Returns the member from which a secondary replicates. */
const sourceOf = (set: ReplicaSet, member: Member): Fields => {
  const { primary } = member;
  const has = !member.isPrimary && primary !== undefined && set.isReachable(member, primary);
  return [
    ['syncSourceHost', has ? primary.host : ''],
    ['syncSourceId', has ? (primary.self?.id ?? -1) : -1],
  ];
};

const selfStatus = (call: Call, set: ReplicaSet, member: Member, { id }: MemberConfig): Doc => {
  const [state, stateStr] = stateNumbers[member.state];
  return Doc.of([
    ['_id', id],
    ['name', member.host],
    ['health', double(1)],
    ['state', state],
    ['stateStr', stateStr],
    ['uptime', ago(call, member.engine.startedAt)],
    ...placeOf(member),
    ...sourceOf(set, member),
    ['infoMessage', ''],
    ...electionOf(member),
    ...versionOf(member),
    ['self', true],
    ['lastHeartbeatMessage', ''],
  ]);
};

const otherStatus = (call: Call, set: ReplicaSet, member: Member, config: MemberConfig): Doc => {
  const other = set.members.find(({ host }) => host === config.host);
  const now = new DateValue(call.engine.clock.wallTime());
  const named: readonly Entry[] = [
    ['_id', config.id],
    ['name', config.host],
  ];
  if (other === undefined || !set.isReachable(member, other)) {
    return Doc.of([
      ...named,
      ['health', double(0)],
      ['state', down[0]],
      ['stateStr', down[1]],
      ['uptime', 0],
      ['lastHeartbeat', now],
      ['lastHeartbeatRecv', new DateValue(0)],
      ['pingMs', 0n],
      ['lastHeartbeatMessage', `Couldn't get a connection to ${config.host}`],
      ['syncSourceHost', ''],
      ['syncSourceId', -1],
      ['infoMessage', ''],
      ['configVersion', -1],
      ['configTerm', -1n],
    ]);
  }
  const [state, stateStr] = stateNumbers[other.state];
  const place: Fields = config.arbiterOnly ? [] : [...placeOf(other), ['optimeDurable', opTimeDoc(other.durable)]];
  return Doc.of([
    ...named,
    ['health', double(1)],
    ['state', state],
    ['stateStr', stateStr],
    ['uptime', ago(call, other.engine.startedAt)],
    ...place,
    ['lastHeartbeat', now],
    ['lastHeartbeatRecv', now],
    ['pingMs', BigInt(Math.round(set.network.latency(member.place, other.place)))],
    ['lastHeartbeatMessage', ''],
    ...sourceOf(set, other),
    ['infoMessage', ''],
    ...electionOf(other),
    ...versionOf(other),
  ]);
};

const optimesOf = (member: Member): Doc => {
  const { committed } = member;
  const place = opTimeDoc(member.opTime);
  const date = member.lastWriteDate;
  return Doc.of([
    ['lastCommittedOpTime', opTimeDoc(committed.at)],
    ['lastCommittedWallTime', new DateValue(committed.wall)],
    ['readConcernMajorityOpTime', opTimeDoc(committed.at)],
    ['appliedOpTime', place],
    ['durableOpTime', opTimeDoc(member.durable)],
    ['lastAppliedWallTime', date],
    ['lastDurableWallTime', date],
  ]);
};

export const replSetGetStatus: Command = command({
  name: 'replSetGetStatus',
  lenient: true,
  adminOnly: true,
  help: 'Returns the state of all members of the replica set, as far as this one knows it.',
  run: call => {
    const { member, set } = memberOf(call);
    const { config } = member;
    const voters = votersOf(config);
    return [
      ['set', member.setName],
      ['date', new DateValue(call.engine.clock.wallTime())],
      ['myState', stateNumbers[member.state][0]],
      ['term', member.term],
      ...sourceOf(set, member),
      ['heartbeatIntervalMillis', BigInt(config.settings.heartbeatIntervalMillis)],
      ['majorityVoteCount', majorityVotes(config)],
      ['writeMajorityCount', writeMajority(config)],
      ['votingMembersCount', voters.length],
      ['writableVotingMembersCount', dataBearing(config).filter(({ votes }) => votes === 1).length],
      ['optimes', optimesOf(member)],
      [
        'members',
        config.members.map(one =>
          one.host === member.host ? selfStatus(call, set, member, one) : otherStatus(call, set, member, one),
        ),
      ],
    ];
  },
});

import type { Call, Command } from '../commands/command.js';
import { command } from '../commands/command.js';
import { bool, integer } from '../commands/schema.js';
import { fail } from '../errors.js';
import { Doc } from '../value/doc.js';
import type { Value } from '../value/value.js';
import { DateValue, double, isNumber } from '../value/value.js';
import { toDouble } from '../value/numbers.js';
import { isoDate } from '../value/show.js';
import type { Member } from './member.js';
import { opTimeDoc } from '../log/op-time.js';

/** @throws CommandError 76 on a standalone */
const memberOf = ({ server: { member } }: Call): Member => {
  if (member === undefined) throw fail('NoReplicationEnabled', 'not running with --replSet');
  return member;
};

/** @throws CommandError 2 */
const secondsOf = (value: Value, what: string): number => {
  const seconds = isNumber(value) ? Math.trunc(toDouble(value)) : 0;
  if (seconds < 0) throw fail('BadValue', `${what} period must be a positive integer`);
  return seconds;
};

const statusOf = (call: Call, member: Member): Doc => {
  const { server, engine } = call;
  const { election, opTime, isPrimary } = member;
  return Doc.of([
    ['_id', 0],
    ['name', server.address],
    ['health', double(1)],
    ['state', isPrimary ? 1 : 2],
    ['stateStr', isPrimary ? 'PRIMARY' : 'SECONDARY'],
    ['uptime', Math.floor((engine.clock.now() - engine.startedAt) / 1000)],
    ['optime', opTimeDoc(opTime)],
    ['optimeDate', member.lastWriteDate],
    ['syncSourceHost', ''],
    ['syncSourceId', -1],
    ['infoMessage', ''],
    ...(isPrimary
      ? ([
          ['electionTime', election.at.ts],
          ['electionDate', election.date],
        ] as const)
      : []),
    ['configVersion', member.setVersion],
    ['configTerm', 1],
    ['self', true],
    ['lastHeartbeatMessage', ''],
  ]);
};

const replSetGetStatus = command({
  name: 'replSetGetStatus',
  lenient: true,
  adminOnly: true,
  help: 'Tells of the members of the set: one.',
  run: call => {
    const member = memberOf(call);
    const place = opTimeDoc(member.opTime);
    const date = member.lastWriteDate;
    return [
      ['set', member.setName],
      ['date', new DateValue(call.engine.clock.wallTime())],
      ['myState', member.isPrimary ? 1 : 2],
      ['term', member.term],
      ['syncSourceHost', ''],
      ['syncSourceId', -1],
      ['heartbeatIntervalMillis', 2000n],
      ['majorityVoteCount', 1],
      ['writeMajorityCount', 1],
      ['votingMembersCount', 1],
      ['writableVotingMembersCount', 1],
      [
        'optimes',
        Doc.of([
          ['lastCommittedOpTime', place],
          ['lastCommittedWallTime', date],
          ['readConcernMajorityOpTime', place],
          ['appliedOpTime', place],
          ['durableOpTime', place],
          ['lastAppliedWallTime', date],
          ['lastDurableWallTime', date],
        ]),
      ],
      ['members', [statusOf(call, member)]],
    ];
  },
});

const replSetGetConfig = command({
  name: 'replSetGetConfig',
  lenient: true,
  adminOnly: true,
  help: 'Tells how the set is configured.',
  run: call => {
    const member = memberOf(call);
    const self = Doc.of([
      ['_id', 0],
      ['host', call.server.address],
      ['arbiterOnly', false],
      ['buildIndexes', true],
      ['hidden', false],
      ['priority', double(1)],
      ['tags', Doc.EMPTY],
      ['secondaryDelaySecs', 0n],
      ['votes', 1],
    ]);
    const settings = Doc.of([
      ['chainingAllowed', true],
      ['heartbeatIntervalMillis', 2000],
      ['heartbeatTimeoutSecs', 10],
      ['electionTimeoutMillis', 10_000],
      ['catchUpTimeoutMillis', -1],
      ['catchUpTakeoverDelayMillis', 30_000],
      ['getLastErrorModes', Doc.EMPTY],
      [
        'getLastErrorDefaults',
        Doc.of([
          ['w', 1],
          ['wtimeout', 0],
        ]),
      ],
      ['replicaSetId', call.server.processId],
    ]);
    return [
      [
        'config',
        Doc.of([
          ['_id', member.setName],
          ['version', member.setVersion],
          ['term', 1],
          ['members', [self]],
          ['protocolVersion', 1n],
          ['writeConcernMajorityJournalDefault', true],
          ['settings', settings],
        ]),
      ],
    ];
  },
});

const replSetInitiate = command({
  name: 'replSetInitiate',
  lenient: true,
  adminOnly: true,
  help: 'Makes a set; a server that is started with replicaSet is one already.',
  run: call => {
    memberOf(call);
    throw fail('AlreadyInitialized', 'already initialized');
  },
});

/** As long as a mongod waits for a secondary to catch up unless it is told, in seconds. */
const defaultCatchUp = 10;

const replSetStepDown = command({
  name: 'replSetStepDown',
  schema: { force: bool(), secondaryCatchUpPeriodSecs: integer(0) },
  adminOnly: true,
  help: 'Makes the primary a secondary for some time.',
  run: async (call, { force = false, secondaryCatchUpPeriodSecs: given }) => {
    const member = memberOf(call);
    const period = isNumber(call.target) ? secondsOf(call.target, 'stepdown') : 60;
    const catchUp = given ?? (force ? 0 : defaultCatchUp);
    if (force ? period < catchUp : period <= catchUp) {
      throw fail('BadValue', 'stepdown period must be longer than secondaryCatchUpPeriodSecs');
    }
    if (!member.isPrimary) throw fail('NotWritablePrimary', "not primary so can't step down");
    const { clock } = call.engine;
    // There is no secondary that could catch up, and mongod waits for one all the same.
    if (catchUp > 0) await clock.sleep(catchUp * 1000, call.client.peer.signal);
    if (!force) {
      throw fail(
        'ExceededTimeLimit',
        `No electable secondaries caught up as of ${isoDate(clock.wallTime())}. Please use the replSetStepDown command with the argument {force: true} to force node to step down.`,
      );
    }
    if (member.isPrimary) member.stepDown((period - catchUp) * 1000);
    return [];
  },
});

const replSetFreeze = command({
  name: 'replSetFreeze',
  adminOnly: true,
  help: 'Keeps a secondary from being elected for some time; with 0 it is elected at once.',
  run: call => {
    const member = memberOf(call);
    const period = secondsOf(call.target, 'freeze');
    if (member.isPrimary) {
      throw fail('NotSecondary', 'cannot freeze node when primary or running for election. state: Primary');
    }
    member.electAfter(period * 1000);
    return period === 0 ? [['info', 'unfreezing']] : [];
  },
});

/** What is asked of a member about its set. */
export const replicationCommands: readonly Command[] = [
  replSetFreeze,
  replSetGetConfig,
  replSetGetStatus,
  replSetInitiate,
  replSetStepDown,
];

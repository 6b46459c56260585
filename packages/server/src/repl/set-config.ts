import type { ObjectIdValue, Value } from '@tessera/mql/engine';
import { fail } from '@tessera/mql/engine';

/** The configuration of one member. */
export interface MemberConfig {
  readonly id: number;
  /** `db1:27017` */
  readonly host: string;
  /** Whether the member votes but has no data. */
  readonly arbiterOnly: boolean;
  readonly buildIndexes: boolean;
  /** Whether the member is left out of hello. */
  readonly hidden: boolean;
  /** 0: the member is never elected. */
  readonly priority: number;
  readonly tags: Readonly<Record<string, string>>;
  readonly secondaryDelaySecs: number;
  readonly votes: 0 | 1;
}

/** For each tag, how many different values the members that have a write must cover. */
export type TagPattern = Readonly<Record<string, number>>;

export interface SetSettings {
  readonly chainingAllowed: boolean;
  readonly heartbeatIntervalMillis: number;
  readonly heartbeatTimeoutSecs: number;
  readonly electionTimeoutMillis: number;
  readonly catchUpTimeoutMillis: number;
  readonly catchUpTakeoverDelayMillis: number;
  /** Write concerns by name. */
  readonly getLastErrorModes: Readonly<Record<string, TagPattern>>;
  readonly getLastErrorDefaults: { readonly w: Value; readonly wtimeout: number };
  readonly replicaSetId: ObjectIdValue;
}

export interface SetConfig {
  readonly name: string;
  readonly version: number;
  /** The term of the primary that created the configuration. */
  readonly term: bigint;
  readonly members: readonly MemberConfig[];
  readonly writeConcernMajorityJournalDefault: boolean;
  readonly settings: SetSettings;
}

export const memberDefaults: Omit<MemberConfig, 'id' | 'host'> = {
  arbiterOnly: false,
  buildIndexes: true,
  hidden: false,
  priority: 1,
  tags: {},
  secondaryDelaySecs: 0,
  votes: 1,
};

export const settingDefaults: Omit<SetSettings, 'replicaSetId'> = {
  chainingAllowed: true,
  heartbeatIntervalMillis: 2000,
  heartbeatTimeoutSecs: 10,
  electionTimeoutMillis: 10_000,
  catchUpTimeoutMillis: -1,
  catchUpTakeoverDelayMillis: 30_000,
  getLastErrorModes: {},
  getLastErrorDefaults: { w: 1, wtimeout: 0 },
};

const majorityOf = (count: number): number => (count >> 1) + 1;

export const votersOf = ({ members }: SetConfig): readonly MemberConfig[] => members.filter(({ votes }) => votes === 1);

/** Returns the number of votes that elect a primary. */
export const majorityVotes = (config: SetConfig): number => majorityOf(votersOf(config).length);

const isWriter = ({ arbiterOnly }: MemberConfig): boolean => !arbiterOnly;

/** Returns the number of voters that must have a write with write concern majority. Arbiters have no data. */
export const writeMajority = (config: SetConfig): number =>
  Math.min(majorityVotes(config), votersOf(config).filter(isWriter).length);

export const dataBearing = ({ members }: SetConfig): readonly MemberConfig[] => members.filter(isWriter);

/**
 * Returns the default write concern from 5.0 on. With arbiters, a majority may need every voter with data, so writes
 * would fail if one is down. In that case the default is 1. Rule: "Implicit Default Write Concern".
 */
export const implicitWriteConcern = (config: SetConfig): 'majority' | 1 => {
  const voters = votersOf(config);
  const writers = voters.filter(isWriter).length;
  return writers < voters.length && writers <= majorityVotes(config) ? 1 : 'majority';
};

const mostMembers = 50;
const mostVoters = 7;

/** Returns the error for an invalid configuration. */
const wrong = (why: string): Error => fail('InvalidReplicaSetConfig', why);

const isElectable = ({ priority }: MemberConfig): boolean => priority > 0;

const memberMistake = (member: MemberConfig): string | undefined => {
  const { arbiterOnly, hidden, priority, secondaryDelaySecs, tags, votes } = member;
  if (priority < 0 || priority > 1000) return `priority must be between 0 and 1000 but is ${priority}`;
  if (arbiterOnly && Object.keys(tags).length > 0) return 'Cannot set tags on arbiters.';
  if (arbiterOnly && votes === 0) return 'Arbiter must vote (cannot have 0 votes)';
  if (arbiterOnly && priority > 1) return 'priority must be 0 or 1 for arbiters';
  if (votes === 0 && priority > 0) return 'priority must be 0 when non-voting (votes:0)';
  if (secondaryDelaySecs > 0 && priority > 0) return 'priority must be 0 when secondaryDelaySecs is used';
  if (hidden && priority > 0) return 'priority must be 0 when hidden=true';
  return undefined;
};

const unequal = (members: readonly MemberConfig[], field: 'id' | 'host'): MemberConfig | undefined =>
  members.find((member, i) => members.slice(0, i).some(other => other[field] === member[field]));

/** Checks a configuration. @throws CommandError 93 if it is invalid */
export const checkConfig = (config: SetConfig): SetConfig => {
  const { members } = config;
  if (members.length === 0 || members.length > mostMembers) {
    throw wrong(
      `Replica set configuration contains ${members.length} members, but must have at least 1 and no more than ${mostMembers} members`,
    );
  }
  for (const member of members) {
    const mistake = memberMistake(member);
    if (mistake !== undefined) throw wrong(mistake);
  }
  const sameId = unequal(members, 'id');
  if (sameId !== undefined) throw wrong(`Found two member configurations with same _id field, ${sameId.id}`);
  const sameHost = unequal(members, 'host');
  if (sameHost !== undefined) throw wrong(`Found two member configurations with same host field, ${sameHost.host}`);
  const voters = votersOf(config).length;
  if (voters === 0 || voters > mostVoters) {
    throw wrong(
      `Replica set configuration contains ${voters} voting members, but must be at least 1 and no more than ${mostVoters}`,
    );
  }
  if (!members.some(member => isElectable(member) && !member.arbiterOnly)) {
    throw wrong('Replica set configuration must contain at least one non-arbiter member with priority > 0');
  }
  return config;
};

/** The settings of a member in the creation of a set: its host, and deviations from the defaults. */
export type NewMember = Partial<Omit<MemberConfig, 'id' | 'host'>> & { readonly host: string };

/** Returns a member's priority. Arbiters, and by default hidden, delayed and non-voting members, are never elected. */
const priorityOf = ({ priority, arbiterOnly, hidden, secondaryDelaySecs, votes }: NewMember): number => {
  if (arbiterOnly === true) return 0;
  if (priority !== undefined) return priority;
  return hidden === true || (secondaryDelaySecs ?? 0) > 0 || votes === 0 ? 0 : memberDefaults.priority;
};

/** Returns the first configuration of a set. @throws CommandError 93 if it is invalid */
export const firstConfig = (
  name: string,
  members: readonly NewMember[],
  settings: Partial<SetSettings> & Pick<SetSettings, 'replicaSetId'>,
): SetConfig =>
  checkConfig({
    name,
    version: 1,
    term: 1n,
    members: members.map((given, id) => ({ ...memberDefaults, ...given, id, priority: priorityOf(given) })),
    writeConcernMajorityJournalDefault: true,
    settings: { ...settingDefaults, ...settings },
  });

import type { Entry, Value, Version } from '@tessera/mql/engine';
import { Doc, double, fail, isArray, isAtLeast, isDoc, isNumber, toDouble, safeIntegerOf } from '@tessera/mql/engine';
import type { MemberConfig, SetConfig, SetSettings, TagPattern } from './set-config.js';
import { checkConfig, memberDefaults } from './set-config.js';

const tagsDoc = (tags: Readonly<Record<string, Value>>): Doc => Doc.of(Object.entries(tags));

const memberDoc = (member: MemberConfig, version: Version): Doc =>
  Doc.of([
    ['_id', member.id],
    ['host', member.host],
    ['arbiterOnly', member.arbiterOnly],
    ['buildIndexes', member.buildIndexes],
    ['hidden', member.hidden],
    // From 4.4 on, `priority` may have a fraction. mongod returns it as a double in all versions.
    ['priority', double(member.priority)],
    ['tags', tagsDoc(member.tags)],
    [delayName(version), BigInt(member.secondaryDelaySecs)],
    ['votes', member.votes],
  ]);

/** Returns the field name of a member's delay in hello and in configurations. */
export const delayName = (version: Version): 'secondaryDelaySecs' | 'slaveDelay' =>
  isAtLeast(version, '5.0') ? 'secondaryDelaySecs' : 'slaveDelay';

const settingsDoc = (settings: SetSettings): Doc => {
  const { w, wtimeout } = settings.getLastErrorDefaults;
  return Doc.of([
    ['chainingAllowed', settings.chainingAllowed],
    ['heartbeatIntervalMillis', settings.heartbeatIntervalMillis],
    ['heartbeatTimeoutSecs', settings.heartbeatTimeoutSecs],
    ['electionTimeoutMillis', settings.electionTimeoutMillis],
    ['catchUpTimeoutMillis', settings.catchUpTimeoutMillis],
    ['catchUpTakeoverDelayMillis', settings.catchUpTakeoverDelayMillis],
    [
      'getLastErrorModes',
      Doc.of(Object.entries(settings.getLastErrorModes).map(([name, pattern]) => [name, tagsDoc(pattern)])),
    ],
    [
      'getLastErrorDefaults',
      Doc.of([
        ['w', w],
        ['wtimeout', wtimeout],
      ]),
    ],
    ['replicaSetId', settings.replicaSetId],
  ]);
};

/** Returns the configuration as `replSetGetConfig` shows it. */
export const configDoc = (config: SetConfig, version: Version): Doc => {
  const term: readonly Entry[] = isAtLeast(version, '4.4') ? [['term', config.term]] : [];
  return Doc.of([
    ['_id', config.name],
    ['version', config.version],
    ...term,
    ['members', config.members.map(member => memberDoc(member, version))],
    ['protocolVersion', 1n],
    ['writeConcernMajorityJournalDefault', config.writeConcernMajorityJournalDefault],
    ['settings', settingsDoc(config.settings)],
  ]);
};

type Read<T> = (value: Value, where: string) => T;

const mistyped = (where: string, expected: string): Error =>
  fail('TypeMismatch', `BSON field '${where}' is the wrong type, expected type '${expected}'`);

const asNumber: Read<number> = (value, where) => {
  if (!isNumber(value)) throw mistyped(where, 'number');
  return toDouble(value);
};

const asInteger: Read<number> = (value, where) => {
  const n = safeIntegerOf(value);
  if (n === undefined) throw mistyped(where, 'int');
  return n;
};

const asBool: Read<boolean> = (value, where) => {
  if (typeof value === 'boolean') return value;
  if (isNumber(value)) return toDouble(value) !== 0;
  throw mistyped(where, 'bool');
};

const asString: Read<string> = (value, where) => {
  if (typeof value !== 'string') throw mistyped(where, 'string');
  return value;
};

const recordOf = <T>(read: Read<T>): Read<Readonly<Record<string, T>>> => {
  return (value, where) => {
    if (!isDoc(value)) throw mistyped(where, 'object');
    return Object.fromEntries(value.entries().map(([name, item]) => [name, read(item, `${where}.${name}`)]));
  };
};

const asTags = recordOf(asString);
const asModes = recordOf<TagPattern>(recordOf(asInteger));

/** Reads the fields of a document one by one, with defaults. `end` rejects fields that were not read. */
class Fields {
  readonly #doc: Doc;
  readonly #where: string;
  readonly #read = new Set<string>();

  constructor(doc: Doc, where: string) {
    this.#doc = doc;
    this.#where = where;
  }

  get<T>(name: string, read: Read<T>, otherwise: T): T {
    this.#read.add(name);
    const value = this.#doc.get(name);
    return value === undefined || value === null ? otherwise : read(value, `${this.#where}.${name}`);
  }

  /** Reads a required field. @throws CommandError 40414 if it is missing */
  need<T>(name: string, read: Read<T>): T {
    if (!this.#doc.has(name)) {
      throw fail('IDLFailedToParse', `BSON field '${this.#where}.${name}' is missing but a required field`);
    }
    return this.get(name, read, undefined as T);
  }

  /** Checks that all fields were read. @throws CommandError 40415 for an unknown field */
  end(): void {
    for (const [name] of this.#doc.entries()) {
      if (!this.#read.has(name))
        throw fail('IDLUnknownField', `BSON field '${this.#where}.${name}' is an unknown field.`);
    }
  }
}

const asVotes: Read<0 | 1> = (value, where) => {
  const votes = asInteger(value, where);
  if (votes !== 0 && votes !== 1) {
    throw fail('InvalidReplicaSetConfig', `votes field value is ${votes} but must be 0 or 1`);
  }
  return votes;
};

const asMember: Read<MemberConfig> = (value, where) => {
  if (!isDoc(value)) throw mistyped(where, 'object');
  const fields = new Fields(value, 'MemberConfig');
  const arbiterOnly = fields.get('arbiterOnly', asBool, false);
  const delay = fields.get('slaveDelay', asInteger, memberDefaults.secondaryDelaySecs);
  const member: MemberConfig = {
    id: fields.need('_id', asInteger),
    host: fields.need('host', asString),
    arbiterOnly,
    buildIndexes: fields.get('buildIndexes', asBool, memberDefaults.buildIndexes),
    hidden: fields.get('hidden', asBool, memberDefaults.hidden),
    // An arbiter is never elected, regardless of its priority.
    priority: fields.get('priority', asNumber, arbiterOnly ? 0 : memberDefaults.priority),
    tags: fields.get('tags', asTags, memberDefaults.tags),
    secondaryDelaySecs: fields.get('secondaryDelaySecs', asInteger, delay),
    votes: fields.get('votes', asVotes, memberDefaults.votes),
  };
  fields.end();
  return arbiterOnly ? { ...member, priority: member.priority === 1 ? 0 : member.priority } : member;
};

const settingsOf = (given: Doc, before: SetSettings): SetSettings => {
  const fields = new Fields(given, 'ReplSetConfigSettings');
  const defaults = fields.get(
    'getLastErrorDefaults',
    (value): SetSettings['getLastErrorDefaults'] => {
      if (!isDoc(value)) throw mistyped('getLastErrorDefaults', 'object');
      const wtimeout = value.get('wtimeout');
      return { w: value.get('w') ?? 1, wtimeout: wtimeout === undefined ? 0 : asInteger(wtimeout, 'wtimeout') };
    },
    before.getLastErrorDefaults,
  );
  const settings: SetSettings = {
    chainingAllowed: fields.get('chainingAllowed', asBool, true),
    heartbeatIntervalMillis: fields.get('heartbeatIntervalMillis', asInteger, before.heartbeatIntervalMillis),
    heartbeatTimeoutSecs: fields.get('heartbeatTimeoutSecs', asInteger, before.heartbeatTimeoutSecs),
    electionTimeoutMillis: fields.get('electionTimeoutMillis', asInteger, before.electionTimeoutMillis),
    catchUpTimeoutMillis: fields.get('catchUpTimeoutMillis', asInteger, before.catchUpTimeoutMillis),
    catchUpTakeoverDelayMillis: fields.get('catchUpTakeoverDelayMillis', asInteger, before.catchUpTakeoverDelayMillis),
    getLastErrorModes: fields.get('getLastErrorModes', asModes, {}),
    getLastErrorDefaults: defaults,
    replicaSetId: fields.get('replicaSetId', () => before.replicaSetId, before.replicaSetId),
  };
  fields.end();
  return settings;
};

/**
 * Reads the configuration of a `replSetReconfig`.
 * @param before the current configuration
 * @throws CommandError 14, 40414, 40415 for a malformed document, 93 for an invalid configuration, 103 for a
 * configuration that must not follow the current one
 */
export const readConfig = (doc: Doc, before: SetConfig, term: bigint): SetConfig => {
  const fields = new Fields(doc, 'ReplSetConfig');
  const members = fields.need('members', (value, where): readonly MemberConfig[] => {
    if (!isArray(value)) throw mistyped(where, 'array');
    return value.map((item, i) => asMember(item, `${where}.${i}`));
  });
  fields.get('term', asNumber, 0);
  fields.get('protocolVersion', asNumber, 1);
  fields.get('configsvr', asBool, false);
  const config: SetConfig = {
    name: fields.need('_id', asString),
    version: fields.need('version', asInteger),
    term,
    members,
    writeConcernMajorityJournalDefault: fields.get('writeConcernMajorityJournalDefault', asBool, true),
    settings: settingsOf(
      fields.get('settings', value => (isDoc(value) ? value : Doc.EMPTY), Doc.EMPTY),
      before.settings,
    ),
  };
  fields.end();
  return checkConfig(config);
};

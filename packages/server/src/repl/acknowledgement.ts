import type { Millis, Soon } from '@tessera/contracts';
import type { Entry, Value } from '@tessera/mql/engine';
import { CommandError, Doc, isAtLeast, isNumber, toSafeInteger, safeIntegerOf } from '@tessera/mql/engine';
import type { Call, Fields } from '../commands/command.js';
import type { Outcome } from './concern-wait.js';
import { awaitConcern } from './concern-wait.js';
import type { Member } from './member.js';
import { implicitWriteConcern } from './set-config.js';
import { unsatisfiable, wantedOf } from './write-concern.js';

/** The origin of a write concern. */
type Provenance = 'clientSupplied' | 'customDefault' | 'getLastErrorDefaults' | 'implicitDefault';

interface Concern {
  readonly w: Value;
  readonly j: boolean | undefined;
  /** Milliseconds; 0: no limit. */
  readonly wtimeout: Millis;
  readonly provenance: Provenance;
}

const numberOf = (value: Value | undefined): number => safeIntegerOf(value) ?? 0;

const isSet = (value: Value | undefined): boolean | undefined =>
  value === undefined ? undefined : value === true || (isNumber(value) && toSafeInteger(value) !== 0);

/** Returns the write concern of commands without one. Rule: "Default MongoDB Read Concerns/Write Concerns". */
const defaultConcern = (member: Member): Pick<Concern, 'w' | 'wtimeout' | 'provenance'> => {
  const custom = member.defaults.writeConcern;
  if (custom !== undefined) {
    return { w: custom.get('w') ?? 1, wtimeout: numberOf(custom.get('wtimeout')), provenance: 'customDefault' };
  }
  if (isAtLeast(member.engine.version, '5.0')) {
    return { w: implicitWriteConcern(member.config), wtimeout: 0, provenance: 'implicitDefault' };
  }
  return { ...member.config.settings.getLastErrorDefaults, provenance: 'getLastErrorDefaults' };
};

const concernOf = (given: Doc | undefined, member: Member): Concern => {
  const otherwise = defaultConcern(member);
  const w = given?.get('w');
  const own = { j: isSet(given?.get('j')), wtimeout: numberOf(given?.get('wtimeout')) };
  if (w !== undefined) return { ...own, w, provenance: 'clientSupplied' };
  if (given === undefined || given.size === 0) return { ...otherwise, j: undefined };
  return { ...own, w: otherwise.w, provenance: 'clientSupplied' };
};

const concernDoc = ({ w, wtimeout, provenance }: Concern): Doc =>
  Doc.of([
    ['w', w],
    ['wtimeout', wtimeout],
    ['provenance', provenance],
  ]);

const errorField = (
  concern: Concern,
  { code, codeName, message }: { readonly code: number; readonly codeName: string; readonly message: string },
  info: readonly Entry[] = [],
): Fields => [
  [
    'writeConcernError',
    Doc.of([
      ['code', code],
      ['codeName', codeName],
      ['errmsg', message],
      ['errInfo', Doc.of([...info, ['writeConcern', concernDoc(concern)]])],
    ]),
  ],
];

/** Returns the shorter of the two time limits, and whether it is `maxTimeMS`. */
const limitsOf = (
  { generic, engine }: Call,
  { wtimeout }: Concern,
  begun: Millis,
): { within: Millis; byMaxTime: boolean } => {
  const forConcern = wtimeout > 0 ? wtimeout : Number.POSITIVE_INFINITY;
  const { maxTimeMS = 0 } = generic;
  const forAll = maxTimeMS === 0 ? Number.POSITIVE_INFINITY : Math.max(0, begun + maxTimeMS - engine.clock.now());
  return { within: Math.min(forConcern, forAll), byMaxTime: forAll < forConcern };
};

const concernFields = (call: Call, concern: Concern, outcome: Outcome, byMaxTime: boolean): Fields => {
  switch (outcome) {
    case 'fulfilled':
    case 'gone':
      return [];
    case 'changed':
      return errorField(concern, {
        code: 11602,
        codeName: 'InterruptedDueToReplStateChange',
        message: 'operation was interrupted',
      });
    case 'timeout':
      return byMaxTime
        ? errorField(concern, { code: 50, codeName: 'MaxTimeMSExpired', message: 'operation exceeded time limit' })
        : errorField(
            concern,
            {
              code: 64,
              codeName: isAtLeast(call.engine.version, '8.0') ? 'WriteConcernTimeout' : 'WriteConcernFailed',
              message: 'waiting for replication timed out',
            },
            [['wtimeout', true]],
          );
  }
};

/**
 * Waits until a write has the write concern. The write has happened in any case, so errors are reported in the field
 * `writeConcernError`.
 * @param begun the clock's time at which the command started
 */
export const acknowledged = (member: Member, call: Call, begun: Millis): Soon<Fields> => {
  const concern = concernOf(call.generic.writeConcern, member);
  if (concern.w === 0) return [];
  const wanted = wantedOf(concern.w, member.config);
  const hopeless = 'code' in wanted ? wanted : unsatisfiable(wanted, concern.w, member.config);
  if (hopeless !== undefined) return errorField(concern, hopeless);
  if ('code' in wanted) return [];
  const { writeConcernMajorityJournalDefault: journals } = member.config;
  const journaled = concern.j ?? (wanted.by === 'majority' && journals);
  const { within, byMaxTime } = limitsOf(call, concern, begun);
  const at = member.opTime;
  const wait = (): Soon<Fields> => {
    const outcome = awaitConcern(member, { wanted, at, journaled }, within, call.client.peer.signal);
    return outcome instanceof Promise
      ? outcome.then(how => concernFields(call, concern, how, byMaxTime))
      : concernFields(call, concern, outcome, byMaxTime);
  };
  const saved = journaled ? member.engine.flush() : undefined;
  if (saved === undefined) return wait();
  return saved.then(wait, (error: unknown) => {
    if (error instanceof CommandError) return errorField(concern, error);
    throw error;
  });
};

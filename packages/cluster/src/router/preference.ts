import type { Millis } from '@tessera/contracts';
import type { Doc, Value } from '@tessera/mql/engine';
import { Doc as Document, fail, isArray, isDoc, isNumber, show, toDouble, typeName } from '@tessera/mql/engine';

const modes = ['primary', 'primaryPreferred', 'secondary', 'secondaryPreferred', 'nearest'] as const;

export type Mode = (typeof modes)[number];

/** A parsed read preference. */
export interface Preference {
  readonly mode: Mode;
  /** The tag sets in order. The first tag set that matches a member is used. */
  readonly tags: readonly Doc[];
  /** The maximum lag behind the primary. Undefined: unlimited. */
  readonly maxStaleness: Millis | undefined;
}

export const primary: Preference = { mode: 'primary', tags: [Document.EMPTY], maxStaleness: undefined };

/** In seconds. */
const leastStaleness = 90;

/** The heartbeat interval that limits the age of a member's description. */
const heartbeat: Millis = 10_000;

/** @throws CommandError 2, 14, 160 */
const stalenessIn = (given: Value | undefined, mode: Mode): Millis | undefined => {
  if (given === undefined) return undefined;
  if (!isNumber(given))
    throw fail('TypeMismatch', `"maxStalenessSeconds" had the wrong type. Expected number, found ${typeName(given)}`);
  const seconds = toDouble(given);
  if (seconds === 0) return undefined;
  if (!Number.isInteger(seconds) || seconds < 0)
    throw fail('BadValue', 'maxStalenessSeconds must be a non-negative integer');
  if (seconds < leastStaleness)
    throw fail('MaxStalenessOutOfRange', `maxStalenessSeconds value can not be less than ${leastStaleness}`);
  if (mode === 'primary') throw fail('BadValue', 'maxStalenessSeconds can not be set for the primary mode');
  return seconds * 1000;
};

/**
 * Parses `$readPreference`.
 * @throws CommandError 2, 9, 14, 160
 */
export const preferenceIn = (body: Doc): Preference => {
  const given = body.get('$readPreference');
  if (!isDoc(given)) return primary;
  const mode = given.get('mode');
  const known = modes.find(one => one === mode);
  if (known === undefined) throw fail('FailedToParse', `Could not parse $readPreference mode ${show(mode ?? null)}`);
  const tags = given.get('tags');
  const sets = isArray(tags) ? tags.filter(isDoc) : [];
  return {
    mode: known,
    tags: sets.length === 0 ? primary.tags : sets,
    maxStaleness: stalenessIn(given.get('maxStalenessSeconds'), known),
  };
};

/** A member of a shard and its reply to `hello`. */
export interface Standing<T> {
  readonly member: T;
  readonly isPrimary: boolean;
  readonly isSecondary: boolean;
  /** The primary's election id in hexadecimal digits. A later election has a higher one. */
  readonly electionId: string;
  readonly tags: Doc;
  /** Wall-clock time. */
  readonly lastWrite: Millis;
}

/** If two members consider themselves primary, that of the later election counts. Rule: SDAM, "updateRSFromPrimary". */
const primariesIn = <T>(all: readonly Standing<T>[]): readonly Standing<T>[] => {
  const primaries = all.filter(({ isPrimary }) => isPrimary);
  return primaries.filter(({ electionId }) => primaries.every(other => other.electionId <= electionId));
};

/** Rule: Max Staleness, for a client whose descriptions are up to date. */
const freshEnough = <T>(all: readonly Standing<T>[], { maxStaleness }: Preference): readonly Standing<T>[] => {
  if (maxStaleness === undefined) return all;
  const primaries = primariesIn(all);
  const newest = Math.max(...(primaries.length > 0 ? primaries : all).map(({ lastWrite }) => lastWrite));
  return all.filter(one => one.isPrimary || newest - one.lastWrite + heartbeat <= maxStaleness);
};

const fits = (wanted: Doc, { tags }: Standing<unknown>): boolean =>
  wanted.entries().every(([name, value]) => tags.get(name) === value);

const fitting = <T>(all: readonly Standing<T>[], { tags }: Preference): readonly Standing<T>[] => {
  for (const wanted of tags) {
    const some = all.filter(one => fits(wanted, one));
    if (some.length > 0) return some;
  }
  return [];
};

/** Returns the members that the read preference allows. Rule: Server Selection, "Read Preference". */
export const eligible = <T>(all: readonly Standing<T>[], preference: Preference): readonly Standing<T>[] => {
  const primaries = primariesIn(all);
  const secondaries = freshEnough(all, preference).filter(({ isSecondary }) => isSecondary);
  switch (preference.mode) {
    case 'primary':
      return primaries;
    case 'primaryPreferred':
      return primaries.length > 0 ? primaries : fitting(secondaries, preference);
    case 'secondary':
      return fitting(secondaries, preference);
    case 'secondaryPreferred': {
      const some = fitting(secondaries, preference);
      return some.length > 0 ? some : primaries;
    }
    case 'nearest':
      return fitting([...primaries, ...secondaries], preference);
  }
};

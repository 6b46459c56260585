import { fail } from '../errors.js';
import type { Doc } from '../value/doc.js';
import { Doc as Document } from '../value/doc.js';
import { show } from '../value/show.js';
import { isArray, isDoc } from '../value/value.js';

const modes = ['primary', 'primaryPreferred', 'secondary', 'secondaryPreferred', 'nearest'] as const;

export type Mode = (typeof modes)[number];

/** Which member of a shard is to answer. */
export interface Preference {
  readonly mode: Mode;
  /** Tried in order; the first that somebody fits decides. */
  readonly tags: readonly Doc[];
}

export const primary: Preference = { mode: 'primary', tags: [Document.EMPTY] };

/** What a command says in `$readPreference`. @throws CommandError 9 */
export const preferenceIn = (body: Doc): Preference => {
  const given = body.get('$readPreference');
  if (!isDoc(given)) return primary;
  const mode = given.get('mode');
  const known = modes.find(one => one === mode);
  if (known === undefined) throw fail('FailedToParse', `Could not parse $readPreference mode ${show(mode ?? null)}`);
  const tags = given.get('tags');
  const sets = isArray(tags) ? tags.filter(isDoc) : [];
  return { mode: known, tags: sets.length === 0 ? primary.tags : sets };
};

/** A member of a shard, as it says of itself. */
export interface Standing<T> {
  readonly member: T;
  readonly isPrimary: boolean;
  readonly isSecondary: boolean;
  readonly tags: Doc;
}

const fits = (wanted: Doc, { tags }: Standing<unknown>): boolean =>
  wanted.entries().every(([name, value]) => tags.get(name) === value);

const fitting = <T>(all: readonly Standing<T>[], { tags }: Preference): readonly Standing<T>[] => {
  for (const wanted of tags) {
    const some = all.filter(one => fits(wanted, one));
    if (some.length > 0) return some;
  }
  return [];
};

/** Those that may answer. Rule: Server Selection, "Read Preference". */
export const eligible = <T>(all: readonly Standing<T>[], preference: Preference): readonly Standing<T>[] => {
  const primaries = all.filter(({ isPrimary }) => isPrimary);
  const secondaries = all.filter(({ isSecondary }) => isSecondary);
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

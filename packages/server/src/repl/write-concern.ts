import type { Doc, Value } from '@tessera/mql/engine';
import { isDoc, show, showDoc, safeIntegerOf } from '@tessera/mql/engine';
import type { OpTime } from '@tessera/store';
import { compareOpTimes } from '@tessera/store';
import type { MemberConfig, SetConfig, TagPattern } from './set-config.js';
import { dataBearing } from './set-config.js';

/** The members that must have a write. */
export type Wanted =
  | { readonly by: 'number'; readonly count: number }
  | { readonly by: 'majority' }
  /** For each tag, how many different values the members must cover. */
  | { readonly by: 'tags'; readonly pattern: TagPattern };

/** The progress of a member, as far as the primary knows. */
export interface Progress {
  readonly config: MemberConfig;
  readonly applied: OpTime;
  /** The optime of the last durable entry. */
  readonly durable: OpTime;
}

/** The error of a write concern that can never be fulfilled. */
export interface Unsatisfiable {
  readonly code: 79 | 100;
  readonly codeName: 'UnknownReplWriteConcern' | 'UnsatisfiableWriteConcern';
  readonly message: string;
}

const patternOf = (w: Doc): TagPattern =>
  Object.fromEntries(w.entries().map(([tag, count]) => [tag, safeIntegerOf(count) ?? 1]));

/** Looks up a name from a client, without finding inherited properties. */
const own = <T>(record: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined;

/** Parses a write concern. @param w a number, mode or tags, checked by `checkWriteConcern` */
export const wantedOf = (w: Value, { settings }: SetConfig): Wanted | Unsatisfiable => {
  if (w === 'majority') return { by: 'majority' };
  if (isDoc(w)) return { by: 'tags', pattern: patternOf(w) };
  if (typeof w === 'string') {
    const pattern = own(settings.getLastErrorModes, w);
    if (pattern !== undefined) return { by: 'tags', pattern };
    const message = `No write concern mode named '${w}' found in replica set configuration`;
    return { code: 79, codeName: 'UnknownReplWriteConcern', message };
  }
  return { by: 'number', count: safeIntegerOf(w) ?? 1 };
};

const matches = (members: readonly MemberConfig[], pattern: TagPattern): boolean =>
  Object.entries(pattern).every(([tag, count]) => {
    const values = new Set(members.map(({ tags }) => own(tags, tag)));
    values.delete(undefined);
    return values.size >= count;
  });

/** Returns the error of a write concern that can never be fulfilled, or undefined. */
export const unsatisfiable = (wanted: Wanted, w: Value, config: SetConfig): Unsatisfiable | undefined => {
  const members = dataBearing(config);
  const no = (message: string): Unsatisfiable => ({ code: 100, codeName: 'UnsatisfiableWriteConcern', message });
  switch (wanted.by) {
    case 'majority':
      return undefined;
    case 'number':
      return wanted.count <= members.length ? undefined : no('Not enough data-bearing nodes');
    case 'tags': {
      if (matches(members, wanted.pattern)) return undefined;
      const mode = isDoc(w) ? showDoc(w) : show(w);
      return no(`Not enough nodes match write concern mode ${mode}`);
    }
  }
};

/** Whether enough members have a write. @param committed the newest optime that a majority has, on the same branch */
export const isFulfilled = (
  wanted: Wanted,
  { at, journaled }: { readonly at: OpTime; readonly journaled: boolean },
  progress: readonly Progress[],
  committed: OpTime,
): boolean => {
  if (wanted.by === 'majority') return compareOpTimes(committed, at) >= 0;
  const there = progress.filter(({ applied, durable }) => compareOpTimes(journaled ? durable : applied, at) >= 0);
  return wanted.by === 'number'
    ? there.length >= wanted.count
    : matches(
        there.map(({ config }) => config),
        wanted.pattern,
      );
};

import { fail } from '../../errors.js';
import { requireTime } from '../../agg/scope.js';
import { compare } from '../../value/compare.js';
import { show } from '../../value/show.js';
import type { Value } from '../../value/value.js';
import { DateValue, isDoc, typeName } from '../../value/value.js';
import { identical } from '../identical.js';
import type { Place } from '../place.js';
import type { Modifier } from '../tree.js';

/** Returns the existing value itself if its bytes equal those of the new value, so that nothing changes. */
const unlessSame = (existing: Value, value: Value): Value => (identical(existing, value) ? existing : value);

export const set = (value: Value): Modifier => ({
  update: existing => unlessSame(existing, value),
  create: () => value,
});

export const setOnInsert = (value: Value): Modifier => ({
  update: (existing, { run }) => (run.insert ? unlessSame(existing, value) : existing),
  create: ({ run }) => (run.insert ? value : undefined),
});

/** Creates `$unset`. An array element becomes null. */
export const unset = (): Modifier => ({
  update: () => undefined,
  create: () => undefined,
});

const extreme =
  (replaces: (order: number) => boolean) =>
  (value: Value): Modifier => ({
    update: (existing, { run }) => (replaces(compare(value, existing, run.collation)) ? value : existing),
    create: () => value,
  });

/** Creates `$min`. Values of all types are compared. */
export const min: (value: Value) => Modifier = extreme(order => order < 0);
export const max: (value: Value) => Modifier = extreme(order => order > 0);

const readDateType = (value: Value): 'date' | 'timestamp' => {
  if (typeof value === 'boolean') return 'date';
  if (!isDoc(value)) {
    throw fail(
      'BadValue',
      `${typeName(value)} is not valid type for $currentDate. Please use a boolean ('true') or a $type expression ({$type: 'timestamp/date'}).`,
    );
  }
  for (const [name, type] of value) {
    if (name !== '$type') throw fail('BadValue', `Unrecognized $currentDate option: ${name}`);
    if (type === 'date' || type === 'timestamp') return type;
  }
  throw fail(
    'BadValue',
    `The '$type' string field is required to be 'date' or 'timestamp': {$currentDate: {field : {$type: 'date'}}}`,
  );
};

export const currentDate = (value: Value): Modifier => {
  const type = readDateType(value);
  const now = ({ run }: Place): Value => {
    const ms = requireTime(run.nowMs);
    return type === 'date' ? new DateValue(ms) : run.nowTimestamp;
  };
  return { update: (existing, place) => unlessSame(existing, now(place)), create: now };
};

/** Formats an argument as messages do: `{a: "x"}`. */
export const showArgument = (path: string, value: Value): string => `{${path}: ${show(value)}}`;

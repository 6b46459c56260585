import type { Entry, Value } from '@tessera/mql/engine';
import { Doc, isArray, isDoc, isNumber, toDouble } from '@tessera/mql/engine';

const within = (diff: Doc, name: string): readonly Entry[] => {
  const section = diff.get(name);
  return isDoc(section) ? section.entries() : [];
};

/** Returns the value with a nested difference. A value of another type than the difference expects stays as it is. */
const changedInside = (value: Value, diff: Doc): Value => {
  if (diff.get('a') === true) return isArray(value) ? changedArray(value, diff) : value;
  return isDoc(value) ? withDiff(value, diff) : value;
};

/** Applies the difference of an array: `l` is its new length, `u2` a new item, and `s2` a difference of an item. */
const changedArray = (before: readonly Value[], diff: Doc): readonly Value[] => {
  const after = [...before];
  const extend = (length: number): void => {
    while (after.length < length) after.push(null);
  };
  const length = diff.get('l');
  if (length !== undefined && isNumber(length)) {
    after.length = Math.min(after.length, toDouble(length));
    extend(toDouble(length));
  }
  for (const [name, value] of diff) {
    const at = Number(name.slice(1));
    if (name.startsWith('u')) {
      extend(at);
      after[at] = value;
    } else if (name.startsWith('s') && isDoc(value)) {
      extend(at + 1);
      after[at] = changedInside(after[at]!, value);
    }
  }
  return after;
};

/**
 * Applies a difference of an oplog entry, `{ $v: 2, diff }`: `d` has the removed fields, `u` the changed ones, `i` the
 * added ones, and `sx` the difference of the field `x`. Added fields come last, as do changed fields that the
 * document does not have.
 */
export const withDiff = (before: Doc, diff: Doc): Doc => {
  const [removed, updated, inserted] = ['d', 'u', 'i'].map(name => new Map(within(diff, name)));
  const kept: Entry[] = [];
  for (const [name, value] of before) {
    if (removed!.has(name) || inserted!.has(name)) continue;
    const nested = diff.get(`s${name}`);
    if (updated!.has(name)) kept.push([name, updated!.get(name)!]);
    else kept.push([name, isDoc(nested) ? changedInside(value, nested) : value]);
  }
  return Doc.of([...kept, ...[...updated!].filter(([name]) => !before.has(name)), ...inserted!]);
};

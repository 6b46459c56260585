import type { Entry, Value } from '@tessera/mql/engine';
import { Doc, fail, isArray, isDoc } from '@tessera/mql/engine';

const within = (diff: Doc, name: string): readonly Entry[] => {
  const section = diff.get(name);
  if (section === undefined) return [];
  if (!isDoc(section)) throw fail(4770507, `Expected ${name} section to be an object`);
  return section.entries();
};

/** An array with more items is larger than a document may be, even if all of them are null. */
const mostItems = 2 ** 21;

const checkLength = (length: number): void => {
  if (length < 0 || length > mostItems)
    throw fail(
      'BSONObjectTooLarge',
      `The array of the difference would have ${length} items, more than fit a document`,
    );
};

/** Returns the position in the name of a change of an array, such as `u3`. @throws CommandError 4770512, 10334 */
const positionIn = (name: string): number => {
  const digits = name.slice(1);
  if (!/^\d+$/.test(digits)) throw fail(4770512, `Expected integer but got ${digits}`);
  checkLength(Number(digits) + 1);
  return Number(digits);
};

/** Returns the value with a nested difference. A value of another type than the difference expects stays as it is. */
const changedInside = (value: Value, diff: Doc): Value => {
  if (diff.get('a') === true) return isArray(value) ? changedArray(value, diff) : value;
  return isDoc(value) ? withDiff(value, diff) : value;
};

/**
 * Applies the difference of an array: `l` is its new length, `u2` a new item, and `s2` a difference of an item.
 * @throws CommandError 4770501, 4770502, 4770507, 4770512 for another form, 10334 for too many items
 */
const changedArray = (before: readonly Value[], diff: Doc): readonly Value[] => {
  const after = [...before];
  const extend = (length: number): void => {
    while (after.length < length) after.push(null);
  };
  const length = diff.get('l');
  if (length !== undefined) {
    if (typeof length !== 'number') throw fail(4770507, 'Expected l section to be an int');
    checkLength(length);
    after.length = Math.min(after.length, length);
    extend(length);
  }
  for (const [name, value] of diff) {
    if (name === 'a' || name === 'l') continue;
    const at = positionIn(name);
    if (name.startsWith('u')) {
      extend(at);
      after[at] = value;
    } else if (name.startsWith('s')) {
      if (!isDoc(value)) throw fail(4770501, `Expected a difference of the item ${at}`);
      extend(at + 1);
      after[at] = changedInside(after[at]!, value);
    } else {
      throw fail(4770502, `Expected either 'u' or 's' at index ${at}`);
    }
  }
  return after;
};

/**
 * Applies a difference of an oplog entry, `{ $v: 2, diff }`: `d` has the removed fields, `u` the changed ones, `i` the
 * added ones, and `sx` the difference of the field `x`. Added fields come last, as do changed fields that the
 * document does not have.
 * @throws CommandError 4770500, 4770501, 4770502, 4770503, 4770507, 4770512 for another form, 10334 for an array with too many items
 */
export const withDiff = (before: Doc, diff: Doc): Doc => {
  if (diff.size === 0) throw fail(4770500, 'Expected a difference of a document not to be empty');
  const unexpected = diff.keys().find(name => !/^(?:[dui]$|s)/.test(name));
  if (unexpected !== undefined) throw fail(4770503, `Unexpected section: ${unexpected} in document diff`);
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

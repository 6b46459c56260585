import type { Value } from '@tessera/mql/engine';
import { Doc, identical, isArray, isDoc, utf8 } from '@tessera/mql/engine';
import type { FieldDifference, Path } from './delta.js';

/** The differences, and the approximate number of bytes that mongod's oplog needs for them. */
interface Diff {
  readonly differences: readonly FieldDifference[];
  readonly size: number;
}

/** The size of an empty document, or of a field with one. */
const emptySize = 5;

/** The size of an oplog entry without its differences. */
const envelopeSize = 15;

/** Returns the size of a field's type, name and terminator. */
const headerSize = (name: string): number => 2 + utf8(name).length;

const sizeOf = (value: Value): number => (isDoc(value) ? value.byteLength : Doc.of([['', value]]).byteLength - 7);

/** Returns the differences inside of a changed value, if they take less space than the whole value. */
const within = (before: Value, after: Value, path: Path): Diff | undefined => {
  const diff =
    isDoc(before) && isDoc(after)
      ? ofDocs(before, after, path)
      : isArray(before) && isArray(after)
        ? ofArrays(before, after, path)
        : undefined;
  return diff !== undefined && diff.size < sizeOf(after) ? diff : undefined;
};

/** Collects the differences at one level of a document. */
class Level {
  readonly #here: FieldDifference[] = [];
  readonly #below: FieldDifference[] = [];
  #size: number;
  readonly #sections = new Set<'u' | 'i' | 'd'>();

  constructor(size: number) {
    this.#size = size;
  }

  #add(difference: FieldDifference, section: 'u' | 'i' | 'd', size: number): void {
    if (!this.#sections.has(section)) this.#size += headerSize(section) + emptySize;
    this.#sections.add(section);
    this.#size += size;
    this.#here.push(difference);
  }

  set(path: Path, value: Value, isNew: boolean): void {
    const name = String(path.at(-1));
    this.#add({ kind: 'set', path, value }, isNew ? 'i' : 'u', headerSize(name) + sizeOf(value));
  }

  remove(path: Path): void {
    this.#add({ kind: 'removed', path }, 'd', headerSize(String(path.at(-1))) + 1);
  }

  setItem(path: Path, value: Value): void {
    this.#size += headerSize(`u${path.at(-1)!}`) + sizeOf(value);
    this.#here.push({ kind: 'set', path, value });
  }

  truncate(path: Path, size: number): void {
    this.#size += headerSize('l') + 4;
    this.#here.push({ kind: 'truncated', path, size });
  }

  /** Adds the differences in a nested value. In an array, they come at the position of the item. */
  inside(path: Path, diff: Diff, inPlace: boolean): void {
    this.#size += headerSize(`s${path.at(-1)!}`) + diff.size;
    const into = inPlace ? this.#here : this.#below;
    for (const difference of diff.differences) into.push(difference);
  }

  finish(): Diff {
    return { differences: [...this.#here, ...this.#below], size: this.#size };
  }
}

const ofArrays = (before: readonly Value[], after: readonly Value[], path: Path): Diff => {
  const level = new Level(emptySize + headerSize('a') + 1);
  for (const [i, value] of after.entries()) {
    const old = before[i];
    if (old !== undefined && identical(old, value)) continue;
    const place = [...path, i];
    const diff = old === undefined ? undefined : within(old, value, place);
    if (diff === undefined) level.setItem(place, value);
    else level.inside(place, diff, true);
  }
  if (after.length < before.length) level.truncate(path, after.length);
  return level.finish();
};

/** Returns the differences between two documents. A field that moved to the end counts as a new one. */
const ofDocs = (before: Doc, after: Doc, path: Path): Diff => {
  const level = new Level(emptySize);
  const left = [...before.entries()];
  const right = after.entries();
  let at = 0;
  for (const [name, old] of left) {
    const now = right[at];
    if (now?.[0] !== name) {
      if (!after.has(name)) level.remove([...path, name]);
      continue;
    }
    at += 1;
    if (identical(old, now[1])) continue;
    const place = [...path, name];
    const diff = within(old, now[1], place);
    if (diff === undefined) level.set(place, now[1], false);
    else level.inside(place, diff, false);
  }
  for (const [name, value] of right.slice(at)) level.set([...path, name], value, true);
  return level.finish();
};

/**
 * Returns the differences that a pipeline made, or undefined if they take more space than the whole document. Then the
 * document counts as replaced, as in mongod.
 */
export const diffOf = (before: Doc, after: Doc): readonly FieldDifference[] | undefined => {
  const { differences, size } = ofDocs(before, after, []);
  return size + envelopeSize < after.byteLength ? differences : undefined;
};

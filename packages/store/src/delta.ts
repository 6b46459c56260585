import type { Change, Value } from '@tessera/mql/engine';
import { Doc, isArray, isDoc } from '@tessera/mql/engine';

/** The path to a value in a document: field names, and array positions as numbers. */
export type Path = readonly (string | number)[];

/** One difference between two versions of a document. */
export type FieldDifference =
  | { readonly kind: 'set'; readonly path: Path; readonly value: Value }
  | { readonly kind: 'removed'; readonly path: Path }
  | { readonly kind: 'truncated'; readonly path: Path; readonly size: number };

/** Returns a field or an item of a value, and whether it is an item. */
const step = (
  container: Value | undefined,
  part: string,
): { readonly part: string | number; readonly value: Value | undefined } =>
  isArray(container)
    ? { part: Number(part), value: container[Number(part)] }
    : { part, value: isDoc(container) ? container.get(part) : undefined };

/** Returns the path of a modifier in a document that has it. Field names in it contain no dots. */
const pathThrough = (doc: Doc, dotted: string): Path => {
  let at: Value | undefined = doc;
  return dotted.split('.').map(name => {
    const { part, value } = step(at, name);
    at = value;
    return part;
  });
};

const differenceOf = ({ path: dotted, value }: Change, before: Doc, after: Doc): FieldDifference =>
  value === undefined
    ? { kind: 'removed', path: pathThrough(before, dotted) }
    : { kind: 'set', path: pathThrough(after, dotted), value };

const has = (doc: Doc, path: Path): boolean => {
  let at: Value | undefined = doc;
  for (const part of path) at = step(at, String(part)).value;
  return at !== undefined;
};

/**
 * Sorts differences: at each level, changed fields come first, then new fields, then the differences in nested values.
 */
const inOrder = (differences: readonly FieldDifference[], before: Doc, depth = 0): readonly FieldDifference[] => {
  const here = differences.filter(({ path }) => path.length === depth + 1);
  const below = new Map<string | number, FieldDifference[]>();
  for (const one of differences) {
    if (one.path.length === depth + 1) continue;
    const part = one.path[depth]!;
    const group = below.get(part);
    if (group === undefined) below.set(part, [one]);
    else group.push(one);
  }
  return [
    ...here.filter(({ path }) => has(before, path)),
    ...here.filter(({ path }) => !has(before, path)),
    ...[...below.values()].flatMap(group => inOrder(group, before, depth + 1)),
  ];
};

/** Returns the differences that modifiers made. */
export const differencesOf = (
  changes: readonly Change[],
  { before, after }: { readonly before: Doc; readonly after: Doc },
): readonly FieldDifference[] =>
  inOrder(
    changes.map(change => differenceOf(change, before, after)),
    before,
  );

const dotted = (path: Path): string => path.join('.');

/** Whether the path is ambiguous in dotted form, because a name contains a dot or looks like an array position. */
const isAmbiguous = (path: Path): boolean =>
  path.some((part, i) => typeof part === 'string' && (part.includes('.') || (i > 0 && /^(?:0|[1-9]\d*)$/.test(part))));

export interface DescriptionOptions {
  /** Included from 5.0 on. */
  readonly truncatedArrays: boolean;
  /** Included with `showExpandedEvents`, from 6.1 on. */
  readonly disambiguatedPaths: boolean;
}

/** Returns the `updateDescription` of a change event. */
export const describeUpdate = (differences: readonly FieldDifference[], options: DescriptionOptions): Doc => {
  const updated: [string, Value][] = [];
  const removed: string[] = [];
  const truncated: Doc[] = [];
  const disambiguated: [string, Value][] = [];
  for (const one of differences) {
    const name = dotted(one.path);
    switch (one.kind) {
      case 'set':
        updated.push([name, one.value]);
        break;
      case 'removed':
        removed.push(name);
        break;
      case 'truncated':
        truncated.push(
          Doc.of([
            ['field', name],
            ['newSize', one.size],
          ]),
        );
    }
    if (isAmbiguous(one.path)) disambiguated.push([name, [...one.path]]);
  }
  return Doc.of([
    ['updatedFields', Doc.of(updated)],
    ['removedFields', removed],
    ...(options.truncatedArrays ? [['truncatedArrays', truncated] as const] : []),
    ...(options.disambiguatedPaths ? [['disambiguatedPaths', Doc.of(disambiguated)] as const] : []),
  ]);
};

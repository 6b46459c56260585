import type { Change, Value } from '@tessera/mql/engine';
import { Doc, isArray, isDoc } from '@tessera/mql/engine';

/** The way to a place in a document: names of fields, and positions in arrays as numbers. */
export type Path = readonly (string | number)[];

/** One difference between two versions of a document. */
export type Difference =
  | { readonly kind: 'set'; readonly path: Path; readonly value: Value }
  | { readonly kind: 'removed'; readonly path: Path }
  | { readonly kind: 'truncated'; readonly path: Path; readonly size: number };

/** What is at the first of the parts within a value, and whether that part is a position. */
const step = (
  container: Value | undefined,
  part: string,
): { readonly part: string | number; readonly value: Value | undefined } =>
  isArray(container)
    ? { part: Number(part), value: container[Number(part)] }
    : { part, value: isDoc(container) ? container.get(part) : undefined };

/** A path of a modifier through a document that has it. Its names have no dots. */
const pathThrough = (doc: Doc, dotted: string): Path => {
  let at: Value | undefined = doc;
  return dotted.split('.').map(name => {
    const { part, value } = step(at, name);
    at = value;
    return part;
  });
};

const differenceOf = ({ path: dotted, value }: Change, before: Doc, after: Doc): Difference =>
  value === undefined
    ? { kind: 'removed', path: pathThrough(before, dotted) }
    : { kind: 'set', path: pathThrough(after, dotted), value };

const has = (doc: Doc, path: Path): boolean => {
  let at: Value | undefined = doc;
  for (const part of path) at = step(at, String(part)).value;
  return at !== undefined;
};

/** At each level what is set where something was comes before what is new, and both before what is below. */
const inOrder = (differences: readonly Difference[], before: Doc, depth = 0): readonly Difference[] => {
  const here = differences.filter(({ path }) => path.length === depth + 1);
  const below = new Map<string | number, Difference[]>();
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

/** What modifiers changed. */
export const differencesOf = (
  changes: readonly Change[],
  { before, after }: { readonly before: Doc; readonly after: Doc },
): readonly Difference[] =>
  inOrder(
    changes.map(change => differenceOf(change, before, after)),
    before,
  );

const dotted = (path: Path): string => path.join('.');

/** A name that looks like a position, or like several names, leads elsewhere if it is read as a path. */
const isAmbiguous = (path: Path): boolean =>
  path.some((part, i) => typeof part === 'string' && (part.includes('.') || (i > 0 && /^(?:0|[1-9]\d*)$/.test(part))));

export interface DescriptionOptions {
  /** Since 5.0. */
  readonly truncatedArrays: boolean;
  /** With `showExpandedEvents`, since 6.1. */
  readonly disambiguatedPaths: boolean;
}

/** `updateDescription` of a change event. */
export const describeUpdate = (differences: readonly Difference[], options: DescriptionOptions): Doc => {
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

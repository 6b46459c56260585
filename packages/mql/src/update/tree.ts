import { fail } from '../errors.js';
import type { Value } from '../value/value.js';
import { compareParts, identifierOf, isPositional } from './path.js';
import type { Place } from './place.js';

/** The operation at the end of a path. It must return the given value itself if it changes nothing. */
export interface Modifier {
  /** Returns the new value. Undefined removes the field (an array element becomes null). */
  readonly update: (existing: Value, place: Place) => Value | undefined;
  /** Returns the value of a missing field. Undefined does not create it. */
  readonly create: (place: Place) => Value | undefined;
  /** Whether it only appends to arrays. The new elements are then reported one by one. */
  readonly appends?: boolean;
  /** Whether it rejects a scalar on its path although it creates nothing. */
  readonly rejectsScalars?: boolean;
}

/** All modifiers of an update as one tree over the parts of their paths. */
export type UpdateNode =
  | { readonly kind: 'leaf'; readonly modifier: Modifier }
  /** Children by name or index, in the order of their application. `$` stands for the position that the query found. */
  | { readonly kind: 'fields'; readonly children: ReadonlyMap<string, UpdateNode> }
  /** Children by the identifier of an array filter. An empty identifier means all elements. */
  | { readonly kind: 'elements'; readonly children: ReadonlyMap<string, UpdateNode> };

interface Branch {
  readonly kind: 'fields' | 'elements';
  readonly children: Map<string, Branch | { readonly kind: 'leaf'; readonly modifier: Modifier }>;
}

const kindOf = (part: string): Branch['kind'] => (identifierOf(part) === undefined ? 'fields' : 'elements');

const conflict = (parts: readonly string[], at: number): Error =>
  fail(
    'ConflictingUpdateOperators',
    `Updating the path '${parts.join('.')}' would create a conflict at '${parts.slice(0, at).join('.')}'`,
  );

const sorted = (branch: Branch): UpdateNode => {
  // Most updates have a single modifier.
  if (branch.children.size === 1) for (const only of branch.children.values()) if (only.kind === 'leaf') return branch;
  return {
    kind: branch.kind,
    children: new Map(
      [...branch.children]
        .sort(([a], [b]) => compareParts(a, b))
        .map(([part, node]) => [part, node.kind === 'leaf' ? node : sorted(node)]),
    ),
  };
};

/** Builds a tree from modifiers and their paths. */
export interface TreeBuilder {
  /**
   * Adds a modifier.
   * @throws CommandError 40 if a modifier exists at, above or below the path
   */
  put(parts: readonly string[], modifier: Modifier): void;
  build(): UpdateNode & { readonly kind: 'fields' };
}

export const createTreeBuilder = (): TreeBuilder => {
  const root: Branch = { kind: 'fields', children: new Map() };
  return {
    put(parts, modifier) {
      let branch = root;
      for (let i = 0; ; i++) {
        const part = parts[i]!;
        if (branch.kind !== kindOf(part)) throw conflict(parts, i);
        const key = identifierOf(part) ?? part;
        const node = branch.children.get(key);
        if (i === parts.length - 1) {
          if (node !== undefined) throw conflict(parts, i + 1);
          branch.children.set(key, { kind: 'leaf', modifier });
          return;
        }
        if (node?.kind === 'leaf') throw conflict(parts, i + 1);
        const next: Branch = node ?? { kind: kindOf(parts[i + 1]!), children: new Map() };
        if (node === undefined) branch.children.set(key, next);
        branch = next;
      }
    },
    build: () => sorted(root) as UpdateNode & { readonly kind: 'fields' },
  };
};

/**
 * Merges two nodes of the same place.
 * @throws CommandError 40 if they conflict
 */
export const merge = (a: UpdateNode, b: UpdateNode, path: string): UpdateNode => {
  if (a.kind === 'leaf' || a.kind !== b.kind) {
    throw fail('ConflictingUpdateOperators', `Update created a conflict at '${path}'`);
  }
  const children = new Map(a.children);
  for (const [part, node] of b.children) {
    const other = children.get(part);
    children.set(part, other === undefined ? node : merge(other, node, `${path}.${part}`));
  }
  return { kind: a.kind, children: new Map([...children].sort(([x], [y]) => compareParts(x, y))) };
};

/** Returns the children of a node by name. The positional child is returned under the index that it stands for. */
export const childrenAt = (
  node: UpdateNode & { readonly kind: 'fields' },
  path: readonly string[],
  position: () => number,
): ReadonlyMap<string, UpdateNode> => {
  let positional: UpdateNode | undefined;
  for (const [part, child] of node.children) if (isPositional(part)) positional = child;
  if (positional === undefined) return node.children;
  const at = String(position());
  const children = new Map([...node.children].filter(([part]) => !isPositional(part)));
  const other = children.get(at);
  children.set(at, other === undefined ? positional : merge(other, positional, [...path, at].join('.')));
  return new Map([...children].sort(([a], [b]) => compareParts(a, b)));
};

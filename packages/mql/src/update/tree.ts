import { fail } from '../errors.js';
import type { Value } from '../value/value.js';
import { compareParts, identifierOf, isPositional } from './path.js';
import type { Place } from './place.js';

/** What is to be done at the end of a path. Whoever changes nothing returns the very value that it was given. */
export interface Modifier {
  /** The new value; undefined removes the field (an array's element becomes null). */
  readonly update: (existing: Value, place: Place) => Value | undefined;
  /** The value of a field that is not there; undefined leaves it so. */
  readonly create: (place: Place) => Value | undefined;
  /** Elements that were only appended to the array are reported one by one. */
  readonly appends?: boolean;
  /** It creates nothing, but minds a scalar on its way. */
  readonly mindsScalars?: boolean;
}

/** All modifiers of an update as one tree over the parts of their paths. */
export type UpdateNode =
  | { readonly kind: 'leaf'; readonly modifier: Modifier }
  /** By name or position; `$` stands for the position that the query found. In their order. */
  | { readonly kind: 'fields'; readonly children: ReadonlyMap<string, UpdateNode> }
  /** By the identifier of an array filter; the empty one stands for all elements. */
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

const sorted = (branch: Branch): UpdateNode => ({
  kind: branch.kind,
  children: new Map(
    [...branch.children]
      .sort(([a], [b]) => compareParts(a, b))
      .map(([part, node]) => [part, node.kind === 'leaf' ? node : sorted(node)]),
  ),
});

/** Puts modifiers together, path by path. */
export interface TreeBuilder {
  /** @throws CommandError 40 if a modifier is at, above or below that path already */
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

/** What two nodes do at the same place. @throws CommandError 40 if they cannot go together */
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

/** The children of a node by name, the positional one under the position that it stands for. */
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

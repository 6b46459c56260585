import { fail } from '../errors.js';
import type { Computation, ProjectionNode, ProjectionTree } from './tree.js';

/** Builds a projection's tree path by path. */
export interface TreeBuilder<C> {
  readonly tree: ProjectionTree<C>;
  /**
   * Adds a path.
   * @throws CommandError 31249 for a path below an existing one, 31250 for a path above or equal to one
   */
  put(parts: readonly string[], leaf: 'here' | Computation<C>): void;
  /** Removes a top-level field. */
  remove(name: string): void;
}

export const createTreeBuilder = <C>(): TreeBuilder<C> => {
  const tree = new Map<string, ProjectionNode<C>>();
  return {
    tree,
    put(parts, leaf) {
      let branch = tree;
      const last = parts.length - 1;
      for (let i = 0; i < last; i++) {
        const node = branch.get(parts[i]!);
        if (node === 'here' || typeof node === 'function') {
          throw fail(31249, `Path collision at ${parts.join('.')} remaining portion ${parts.slice(i + 1).join('.')}`);
        }
        const next = (node as Map<string, ProjectionNode<C>> | undefined) ?? new Map<string, ProjectionNode<C>>();
        if (node === undefined) branch.set(parts[i]!, next);
        branch = next;
      }
      if (branch.has(parts[last]!)) throw fail(31250, `Path collision at ${parts.join('.')}`);
      branch.set(parts[last]!, leaf);
    },
    remove(name) {
      tree.delete(name);
    },
  };
};

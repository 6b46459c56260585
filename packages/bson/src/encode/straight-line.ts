import { generate } from '../generation.js';
import type { KeyNode } from './key-tree.js';

/** Writes the members of an object that has the expected keys. Answers where they end. */
export type StraightLine = (object: object, at: number) => number;

/** Writes one member. Answers where it ends. */
export type WriteMember = (value: unknown, node: KeyNode, at: number) => number;

/** The keys are not those of any straight line. */
export const unknownKeys = -1;

/**
 * Code that reads one member after the other at a place of its own: so the engine knows where in the object they lie,
 * whatever other objects have passed. Keys are variables, not names in the code: the engine has no fast way to read named
 * members of objects of very many hidden classes. Undefined where code must not be generated.
 */
export const generateStraightLine = (nodes: readonly KeyNode[], write: WriteMember): StraightLine | undefined => {
  const each = (code: (i: string) => string): string => nodes.map((_, i) => code(String(i))).join('');
  const body = `const [${each(i => `n${i},`)}]=n,[${each(i => `k${i},`)}]=k;return function straightLine(o,p){${each(i => `p=w(o[k${i}],n${i},p);`)}return p;}`;
  const make = generate(['w', 'n', 'k'], body);
  return make?.(
    write,
    nodes,
    nodes.map(({ key }) => key),
  ) as StraightLine | undefined;
};

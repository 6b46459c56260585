import type { Tree } from './tree.js';

/** What an engine made of an operation. */
export type Outcome =
  | { readonly kind: 'done'; readonly result: Tree; readonly after?: readonly Tree[] }
  | { readonly kind: 'refused'; readonly code: number; readonly message: string };

/** The code of a refusal by which an engine closed the connection, or answered what is no reply. */
export const silence: number = -1;

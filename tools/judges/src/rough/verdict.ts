/** The violations of a program, and the outcome of each step. */
import type { Fault } from './program.js';

export type ViolationKind =
  | 'hang'
  | 'blocked'
  | 'refused'
  | 'result'
  | 'error class'
  | 'error place'
  | 'checkouts'
  | 'server'
  | 'listener'
  | 'swallowed'
  | 'resource'
  | 'unhandled'
  | 'exit';

export interface Violation {
  readonly kind: ViolationKind;
  readonly what: string;
}

export interface Verdict {
  readonly violations: readonly Violation[];
  /** The outcome of each step: `ok`, the name of an error, `hang`, or `skipped`. */
  readonly outcomes: readonly string[];
  /** The number of sessions that the client may leave at the server, if the program counted them. */
  readonly dirtySessions?: number;
}

/** How the child process connects to the server. */
export interface Place {
  readonly uri: string;
  readonly options: Readonly<Record<string, boolean | number | string>>;
}

/** A question of the child process to its parent: to set a fault, or to count the open cursors of the server. */
export type Question = { readonly fault: Fault } | 'cursors';

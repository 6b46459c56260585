/** What is wrong about a program, and how each step ended. */
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
  /** `ok`, the name of an error, `hang`, or `skipped`, per step. */
  readonly outcomes: readonly string[];
  /** How many sessions a client may leave at the server, if the program counted them. */
  readonly dirtySessions?: number;
}

/** Where the child process finds the server, by transport. */
export interface Place {
  readonly uri: string;
  readonly options: Readonly<Record<string, boolean | number | string>>;
}

/** What the child process asks of its parent: to set a fault, or to count the cursors that are left at the server. */
export type Question = { readonly fault: Fault } | 'cursors';

/** What is wrong about a program, and what each step came to. */
export type ViolationKind =
  | 'hang'
  | 'blocked'
  | 'error class'
  | 'error place'
  | 'checkouts'
  | 'server'
  | 'listener'
  | 'resource'
  | 'unhandled'
  | 'exit';

export interface Violation {
  readonly kind: ViolationKind;
  readonly what: string;
}

export interface Verdict {
  readonly violations: readonly Violation[];
  /** `ok`, the name of an error, or `skipped`, per step. */
  readonly outcomes: readonly string[];
}

/** Where the child process finds the server, by transport. */
export interface Place {
  readonly uri: string;
  readonly options: Readonly<Record<string, boolean | number | string>>;
}

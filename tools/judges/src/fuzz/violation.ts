/** What a server must not do, whatever it is sent. */
export interface Violation {
  readonly kind: 'exit' | 'hang' | 'reply' | 'defect' | 'memory';
  readonly what: string;
}

/** Whether one is as good as the other for whoever looks for the smallest case. */
export const alike = (a: Violation, b: Violation | undefined): boolean => b?.kind === a.kind;

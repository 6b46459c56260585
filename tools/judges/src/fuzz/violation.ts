/** What a server must not do, whatever it is sent. */
export interface Violation {
  readonly kind: 'exit' | 'hang' | 'reply' | 'defect' | 'memory';
  readonly what: string;
}

/** Costs of an operation that do not depend on timing. */
export interface Counters {
  /** Promises created, including those of the caller's `await`. */
  readonly promises: number;
  /** Calls of `write` on sockets. */
  readonly writes: number;
  /** Bytes allocated on the JavaScript heap. */
  readonly heapBytes: number;
  /** Listeners that remain on emitters and event targets after the operation. */
  readonly listeners: number;
}

export type CounterName = keyof Counters;
export const counterNames: readonly CounterName[] = ['promises', 'writes', 'heapBytes', 'listeners'];

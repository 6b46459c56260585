/** What an operation costs that no noise can change. */
export interface Counters {
  /** Promises created, the caller's own `await` included. */
  readonly promises: number;
  /** Calls of `write` on sockets. */
  readonly writes: number;
  /** Bytes allocated on the heap of JavaScript. */
  readonly heapBytes: number;
  /** Listeners that are left behind on emitters and event targets that live on. */
  readonly listeners: number;
}

export type CounterName = keyof Counters;
export const counterNames: readonly CounterName[] = ['promises', 'writes', 'heapBytes', 'listeners'];

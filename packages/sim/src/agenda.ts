import type { Millis } from '@tessera/contracts';

/** A scheduled event of the simulated world. */
export interface Appointment {
  readonly at: Millis;
  readonly kind: 'timer' | 'packet';
  /** Describes the event, in the history and in reports. A function if building the text is expensive. */
  readonly what: () => string;
  cancel(): void;
}

/** The virtual time and all scheduled events, ordered by time and then by the order in which they were added. */
export interface Agenda {
  readonly now: () => Millis;
  add(at: Millis, kind: Appointment['kind'], what: () => string, fire: () => void): Appointment;
  /** Advances the time to the earliest appointment, removes it, and returns it with the function that runs it. */
  next(): { readonly appointment: Appointment; readonly fire: () => void } | undefined;
  /** Returns the time of the next appointment, or undefined if there is none. */
  peek(): Millis | undefined;
  /** Returns the appointments in the order in which they will run. */
  pending(): readonly Appointment[];
}

class Entry implements Appointment {
  readonly at: Millis;
  readonly order: number;
  readonly kind: Appointment['kind'];
  readonly what: () => string;
  fire: (() => void) | undefined;
  readonly #cancelled: () => void;

  constructor(
    at: Millis,
    order: number,
    kind: Appointment['kind'],
    what: () => string,
    fire: () => void,
    cancelled: () => void,
  ) {
    this.at = at;
    this.order = order;
    this.kind = kind;
    this.what = what;
    this.fire = fire;
    this.#cancelled = cancelled;
  }

  cancel(): void {
    if (this.fire === undefined) return;
    this.fire = undefined;
    this.#cancelled();
  }
}

const before = (a: Entry, b: Entry): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);
const byTime = (a: Entry, b: Entry): number => (before(a, b) ? -1 : 1);

const up = (heap: Entry[], entry: Entry): void => {
  let index = heap.push(entry) - 1;
  while (index > 0) {
    const parent = (index - 1) >> 1;
    const above = heap[parent]!;
    if (before(above, entry)) break;
    heap[index] = above;
    heap[parent] = entry;
    index = parent;
  }
};

const takeFirst = (heap: Entry[]): Entry | undefined => {
  const first = heap[0];
  const last = heap.pop();
  if (first === undefined || last === undefined || first === last) return first;
  let index = 0;
  for (;;) {
    let child = 2 * index + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && before(heap[child + 1]!, heap[child]!)) child += 1;
    const below = heap[child]!;
    if (before(last, below)) break;
    heap[index] = below;
    index = child;
  }
  heap[index] = last;
  return first;
};

/** A heap ordered by time, then by insertion. Cancelled entries stay in it until they make up half of it. */
export const createAgenda = (): Agenda => {
  let heap: Entry[] = [];
  let time: Millis = 0;
  let order = 0;
  let dead = 0;

  const cancelled = (): void => {
    dead += 1;
    if (dead < 64 || dead * 2 < heap.length) return;
    heap = heap.filter(entry => entry.fire !== undefined).sort(byTime);
    dead = 0;
  };
  const dropDead = (): void => {
    while (heap[0] !== undefined && heap[0].fire === undefined) {
      takeFirst(heap);
      dead -= 1;
    }
  };

  return {
    now: () => time,
    add: (at, kind, what, fire) => {
      const entry = new Entry(Math.max(at, time), order++, kind, what, fire, cancelled);
      up(heap, entry);
      return entry;
    },
    next: () => {
      dropDead();
      const entry = takeFirst(heap);
      const fire = entry?.fire;
      if (entry === undefined || fire === undefined) return undefined;
      time = entry.at;
      // A later cancel() of an entry that has run must not count it as cancelled.
      entry.fire = undefined;
      return { appointment: entry, fire };
    },
    peek: () => {
      dropDead();
      return heap[0]?.at;
    },
    pending: () => heap.filter(entry => entry.fire !== undefined).sort(byTime),
  };
};

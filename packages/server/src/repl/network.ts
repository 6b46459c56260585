import type { Millis } from '@tessera/contracts';

/** Two members, in any order. */
type Pair = string;

const pairOf = (a: number, b: number): Pair => (a < b ? `${a}-${b}` : `${b}-${a}`);

/**
 * Which members of a set hear one another, and how long that takes. Members are named by their place. It is about what
 * members tell each other; what clients hear is not its concern.
 */
export class Network {
  readonly #cut = new Set<Pair>();
  readonly #latencies = new Map<Pair, Millis>();
  readonly #lags = new Map<number, Millis>();
  readonly #halted = new Set<number>();
  #latency: Millis = 0;

  reaches(a: number, b: number): boolean {
    return a === b || !this.#cut.has(pairOf(a, b));
  }

  /** One way. */
  latency(a: number, b: number): Millis {
    return this.#latencies.get(pairOf(a, b)) ?? this.#latency;
  }

  /** How much longer a member takes until it has what was written; `Infinity`: it never gets it. */
  lag(member: number): Millis {
    return this.#halted.has(member) ? Number.POSITIVE_INFINITY : (this.#lags.get(member) ?? 0);
  }

  /** Nobody of one group hears anybody of another; within a group all stays as it is. */
  cut(groups: readonly (readonly number[])[]): void {
    groups.forEach((group, i) => {
      for (const other of groups.slice(i + 1)) {
        for (const a of group) for (const b of other) if (a !== b) this.#cut.add(pairOf(a, b));
      }
    });
  }

  /** All hear one another again. */
  heal(): void {
    this.#cut.clear();
  }

  /** Between all, or between two. */
  setLatency(latency: Millis, between?: readonly [number, number]): void {
    if (between !== undefined) {
      this.#latencies.set(pairOf(...between), latency);
      return;
    }
    this.#latency = latency;
    this.#latencies.clear();
  }

  /** Whether what was written gets to that member. Returns whether that is news. */
  halt(member: number, on: boolean): boolean {
    if (this.#halted.has(member) === on) return false;
    if (on) this.#halted.add(member);
    else this.#halted.delete(member);
    return true;
  }

  setLag(member: number, lag: Millis): void {
    this.#lags.set(member, lag);
  }
}

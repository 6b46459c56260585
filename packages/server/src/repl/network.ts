import type { Millis } from '@tessera/contracts';

/** The key of two members, in either order. */
type Pair = string;

const pairOf = (a: number, b: number): Pair => (a < b ? `${a}-${b}` : `${b}-${a}`);

/**
 * The simulated network between the members of a set: partitions and latencies. Members are identified by their index.
 * Connections of clients are not affected.
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

  /** Returns the one-way latency between two members in milliseconds. */
  latency(a: number, b: number): Millis {
    return this.#latencies.get(pairOf(a, b)) ?? this.#latency;
  }

  /** Returns the additional delay of replication to a member in milliseconds; `Infinity` if replication is halted. */
  lag(member: number): Millis {
    return this.#halted.has(member) ? Number.POSITIVE_INFINITY : (this.#lags.get(member) ?? 0);
  }

  /** Cuts the connections between members of different groups. Connections within a group are unchanged. */
  cut(groups: readonly (readonly number[])[]): void {
    groups.forEach((group, i) => {
      for (const other of groups.slice(i + 1)) {
        for (const a of group) for (const b of other) if (a !== b) this.#cut.add(pairOf(a, b));
      }
    });
  }

  /** Restores all connections. */
  heal(): void {
    this.#cut.clear();
  }

  /** Sets the latency between all members, or between two. */
  setLatency(latency: Millis, between?: readonly [number, number]): void {
    if (between !== undefined) {
      this.#latencies.set(pairOf(...between), latency);
      return;
    }
    this.#latency = latency;
    this.#latencies.clear();
  }

  /** Stops or resumes replication to a member. Returns whether that changed anything. */
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

import type { Clock, Millis, Timer } from '@tessera/contracts';
import { Watchers } from '../engine/watchers.js';
import type { Entry } from '../value/doc.js';
import { Doc } from '../value/doc.js';
import { BinaryValue, DateValue, ObjectIdValue, TimestampValue } from '../value/value.js';

/** A place in the history of the set: when, and in which primary's term. */
export interface OpTime {
  readonly ts: TimestampValue;
  readonly term: bigint;
}

export type MemberState = 'primary' | 'secondary';

const zeroHash = new BinaryValue(0, new Uint8Array(20));

/** Below 0 if the first is earlier. */
export const compareTimes = (a: TimestampValue, b: TimestampValue): number => a.t - b.t || a.i - b.i;

const isLater = (a: TimestampValue, b: TimestampValue): boolean => compareTimes(a, b) > 0;

export const opTimeDoc = ({ ts, term }: OpTime): Doc =>
  Doc.of([
    ['ts', ts],
    ['t', term],
  ]);

/**
 * The only member of a replica set: it is the primary, unless it was told to step down; then it elects itself again when that
 * time is over. Every commit has a place in the history, and every reply tells how late it is.
 */
export class Member {
  readonly setName: string;
  readonly setVersion: number = 1;
  readonly #clock: Clock;
  readonly #watchers = new Watchers();
  #state: MemberState = 'primary';
  #term = 1n;
  /** Of topologyVersion: it rises with every change of the member. */
  #counter = 1n;
  #ts: TimestampValue;
  #writtenAt: number;
  #electedAt: OpTime;
  #electedAtWallTime: number;
  #clusterTime: TimestampValue;
  #election: Timer | undefined;

  constructor(clock: Clock, setName: string) {
    this.#clock = clock;
    this.setName = setName;
    this.#writtenAt = clock.wallTime();
    this.#ts = new TimestampValue(Math.floor(this.#writtenAt / 1000), 1);
    this.#clusterTime = this.#ts;
    this.#electedAt = this.opTime;
    this.#electedAtWallTime = this.#writtenAt;
  }

  get isPrimary(): boolean {
    return this.#state === 'primary';
  }

  get term(): bigint {
    return this.#term;
  }

  get counter(): bigint {
    return this.#counter;
  }

  /** The latest time that is known of, its own or told by a client. */
  get clusterTime(): TimestampValue {
    return this.#clusterTime;
  }

  /** Of the last write. */
  get opTime(): OpTime {
    return { ts: this.#ts, term: this.#term };
  }

  get lastWriteDate(): DateValue {
    return new DateValue(this.#writtenAt);
  }

  get election(): { readonly at: OpTime; readonly date: DateValue } {
    return { at: this.#electedAt, date: new DateValue(this.#electedAtWallTime) };
  }

  /** Rule: SDAM, "electionId": higher for a later primary. */
  get electionId(): ObjectIdValue {
    return ObjectIdValue.fromHex(`7fffffff${this.#term.toString(16).padStart(16, '0')}`);
  }

  /** Something was committed. */
  advance(): void {
    this.#writtenAt = this.#clock.wallTime();
    const now = new TimestampValue(Math.floor(this.#writtenAt / 1000), 1);
    const after = isLater(this.#clusterTime, this.#ts) ? this.#clusterTime : this.#ts;
    this.#ts = isLater(now, after) ? now : new TimestampValue(after.t, after.i + 1);
    if (isLater(this.#ts, this.#clusterTime)) this.#clusterTime = this.#ts;
  }

  /** A client knows of a later time. Rule: Driver Sessions, "Gossipping the cluster time". */
  hear(clusterTime: unknown): void {
    if (clusterTime instanceof TimestampValue && isLater(clusterTime, this.#clusterTime)) {
      this.#clusterTime = clusterTime;
    }
  }

  /** What is said at the end of every reply. */
  gossip(): readonly Entry[] {
    const signature = Doc.of([
      ['hash', zeroHash],
      ['keyId', 0n],
    ]);
    return [
      [
        '$clusterTime',
        Doc.of([
          ['clusterTime', this.#clusterTime],
          ['signature', signature],
        ]),
      ],
      ['operationTime', this.#ts],
    ];
  }

  /** It can be written to no more, until that time is over. */
  stepDown(period: Millis): void {
    this.#become('secondary');
    this.electAfter(period);
  }

  /** A secondary elects itself when that time is over, and not earlier. */
  electAfter(period: Millis): void {
    this.#election?.cancel();
    this.#election = this.#clock.startTimer(period, () => this.#win(), { background: true });
  }

  #win(): void {
    this.#election = undefined;
    this.#term += 1n;
    this.advance();
    this.#electedAt = this.opTime;
    this.#electedAtWallTime = this.#writtenAt;
    this.#become('primary');
  }

  #become(state: MemberState): void {
    this.#state = state;
    this.#counter += 1n;
    this.#watchers.wake();
  }

  /** Calls back once, after the next change of the member. Returns the way to take that back. */
  onceChanged(wake: () => void): () => void {
    return this.#watchers.once(wake);
  }

  /** A new process of the member: it elects itself at once. */
  restart(): void {
    this.close();
    this.#counter = 0n;
    this.#win();
  }

  close(): void {
    this.#election?.cancel();
    this.#election = undefined;
  }
}

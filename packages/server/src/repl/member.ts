import type { Millis, Timer } from '@tessera/contracts';
import type { DatabaseValue } from '../engine/database.js';
import type { Commit, Engine, History } from '../engine/engine.js';
import { Watchers } from '../engine/watchers.js';
import { Log } from '../log/log.js';
import type { OpTime } from '../log/op-time.js';
import { isLater } from '../log/op-time.js';
import type { Entry } from '../value/doc.js';
import { Doc } from '../value/doc.js';
import { BinaryValue, DateValue, ObjectIdValue, TimestampValue } from '../value/value.js';

export type MemberState = 'primary' | 'secondary';

const zeroHash = new BinaryValue(0, new Uint8Array(20));

/**
 * The only member of a replica set: it is the primary, unless it was told to step down; then it elects itself again when that
 * time is over. Every commit has a place in the history, and every reply tells how late it is.
 */
export class Member implements History {
  readonly setName: string;
  readonly setVersion: number = 1;
  /** What was committed. It is never empty: it begins with the making of the set. */
  readonly log: Log = new Log();
  readonly #engine: Engine;
  readonly #watchers = new Watchers();
  #state: MemberState = 'primary';
  #term = 1n;
  /** Of topologyVersion: it rises with every change of the member. */
  #counter = 1n;
  #electedAt: OpTime;
  #electedAtWallTime: number;
  #clusterTime: TimestampValue = new TimestampValue(0, 0);
  #election: Timer | undefined;

  constructor(engine: Engine, setName: string) {
    this.#engine = engine;
    this.setName = setName;
    engine.history = this;
    engine.noop('initiating set');
    engine.flush();
    this.#electedAt = this.opTime;
    this.#electedAtWallTime = engine.clock.wallTime();
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
    return this.log.last!.at;
  }

  get lastWriteDate(): DateValue {
    return new DateValue(this.log.last!.wall);
  }

  get election(): { readonly at: OpTime; readonly date: DateValue } {
    return { at: this.#electedAt, date: new DateValue(this.#electedAtWallTime) };
  }

  /** Rule: SDAM, "electionId": higher for a later primary. */
  get electionId(): ObjectIdValue {
    return ObjectIdValue.fromHex(`7fffffff${this.#term.toString(16).padStart(16, '0')}`);
  }

  /** A commit takes its place in the log, later than all that is known of. */
  record({ value, ops, author, transaction }: Commit): DatabaseValue {
    const wall = this.#engine.clock.wallTime();
    const now = new TimestampValue(Math.floor(wall / 1000), 1);
    const after = this.#clusterTime;
    const ts = isLater(now, after) ? now : new TimestampValue(after.t, after.i + 1);
    const at: OpTime = { ts, term: this.#term };
    const placed: DatabaseValue = { ...value, at };
    this.log.append({ at, wall, ops, author, transaction, value: placed });
    this.#clusterTime = ts;
    return placed;
  }

  /** Time passes without a write. */
  advance(): void {
    this.#engine.noop('periodic noop');
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
      ['operationTime', this.opTime.ts],
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
    this.#election = this.#engine.clock.startTimer(period, () => this.#win(), { background: true });
  }

  #win(): void {
    this.#election = undefined;
    this.#term += 1n;
    this.#engine.noop('new primary');
    this.#electedAt = this.opTime;
    this.#electedAtWallTime = this.log.last!.wall;
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

  /** A new process of the member: it elects itself at once. What the journal has not is gone from the log, too. */
  restart(): void {
    this.close();
    this.log.truncateAfter(this.#engine.value.at!.ts);
    this.#counter = 0n;
    this.#win();
  }

  close(): void {
    this.#election?.cancel();
    this.#election = undefined;
  }
}

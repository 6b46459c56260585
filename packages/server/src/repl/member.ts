import type { Millis } from '@tessera/contracts';
import type { Entry } from '@tessera/mql/engine';
import { BinaryValue, DateValue, Doc, ObjectIdValue, TimestampValue, fail, isAtLeast } from '@tessera/mql/engine';
import type { DatabaseValue, OpTime } from '@tessera/store';
import { compareOpTimes, isLater, timeAfter } from '@tessera/store';
import type { Engine } from '../engine/engine.js';
import { hasExpiring } from '../engine/expiry.js';
import type { Commit, History } from '../engine/history.js';
import { Watchers } from '../engine/watchers.js';
import type { Entry as LogEntry } from '../log/entry.js';
import { Log, logLimitsOf } from '../log/log.js';
import { stepCount } from '../log/step.js';
import type { Decided } from '../txn/decided.js';
import { CommitPoint, majorityPlace } from './commit-point.js';
import type { Defaults } from './defaults.js';
import { InFlight } from './in-flight.js';
import { LocalDatabase } from './local-database.js';
import type { Point } from './point.js';
import type { MemberConfig, SetConfig } from './set-config.js';
import { writeMajority } from './set-config.js';
import type { Progress } from './write-concern.js';

export type MemberState = 'startup' | 'primary' | 'secondary' | 'recovering' | 'arbiter' | 'removed';

/** The other members of the set, which a member notifies of changes. */
export interface MemberObserver {
  readonly defaults: Defaults;
  readonly decided: Decided;
  /** Called after the primary has written. */
  wrote(member: Member): void;
  /** Called after the member's data was saved to disk. */
  saved(member: Member): void;
  /** Called after the member's committed point advanced. */
  committed(member: Member): void;
  /** Called after a change of the member's state, primary, term or configuration. */
  changed(member: Member): void;
  /** Called when the member needs entries up to a time. An idle primary then writes a no-op, so that the wait ends. */
  wants(member: Member, ts: TimestampValue): void;
}

const zeroHash = new BinaryValue(0, new Uint8Array(20));

const nowhere: OpTime = { ts: new TimestampValue(0, 0), term: -1n };

/** Returns the point before the set's first entry. */
const beginning = (value: DatabaseValue): Point => ({ at: nowhere, wall: 0, value });

/**
 * One member of a replica set: its data, its oplog, and its knowledge of the set. The interaction of members is the
 * concern of `ReplicaSet`.
 */
export class Member implements History {
  /** The member's index in the set, in order of creation. */
  readonly place: number;
  readonly setName: string;
  readonly engine: Engine;
  /** The member's address in the configuration. */
  host: string;
  /** Whether the process runs. */
  isUp = true;
  /** Whether the process is frozen: it neither receives nor sends messages. */
  isFrozen = false;
  /** The clock's time before which the member does not start an election by itself. */
  frozenUntil: Millis = Number.NEGATIVE_INFINITY;
  /** Commands that wait on this member. */
  readonly inFlight: InFlight = new InFlight();
  /** The default read and write concern. */
  readonly defaults: Defaults;
  /** Transactions across shards that this set must commit. */
  readonly decided: Decided;
  /** The clock's time at which the process ends, once a shutdown has begun. */
  quiescesUntil: Millis | undefined;
  /** Called after a rollback. */
  onRolledBack: (() => void) | undefined;
  readonly #observer: MemberObserver;
  readonly #noopInterval: Millis;
  readonly #watchers = new Watchers();
  readonly #moves = new Watchers();
  #log: Log;
  readonly #local: LocalDatabase;
  #commit: CommitPoint;
  #state: MemberState = 'startup';
  #config: SetConfig;
  #primary: Member | undefined;
  #term = 0n;
  #electionId: ObjectIdValue = ObjectIdValue.fromHex('7fffffff0000000000000000');
  /** The term in which `#electionId` was generated. */
  #electionIdOf = 0n;
  /** The counter of topologyVersion. It increases with every change of the member. */
  #counter = 0n;
  #electedAt: OpTime = nowhere;
  #electedAtWallTime = 0;
  #clusterTime: TimestampValue = nowhere.ts;
  /** On the primary: the progress of the other members. */
  readonly #progress = new Map<Member, Pick<Progress, 'applied' | 'durable'>>();

  constructor(engine: Engine, place: number, config: SetConfig, fellows: MemberObserver) {
    this.engine = engine;
    this.place = place;
    this.setName = config.name;
    this.host = config.members[place]!.host;
    this.#config = config;
    this.#observer = fellows;
    this.#log = new Log(logLimitsOf(engine.oplogBytes));
    this.#local = new LocalDatabase(engine.version, engine.oplogBytes);
    this.#noopInterval = engine.parameters.is('writePeriodicNoops')
      ? 1000 * engine.parameters.number('periodicNoopIntervalSecs')
      : Number.POSITIVE_INFINITY;
    this.defaults = fellows.defaults;
    this.decided = fellows.decided;
    this.#commit = new CommitPoint(beginning(engine.value));
    engine.history = this;
    engine.onSaved = () => {
      this.advanceCommit();
      this.#moves.wake();
      this.#observer.saved(this);
    };
  }

  /** The oplog. It is never empty once the set is initiated. */
  get log(): Log {
    return this.#log;
  }

  /** Returns the data with the member's own database `local`. */
  withLocal(value: DatabaseValue): DatabaseValue {
    return this.#local.over(value, this.#log, this.#config);
  }

  get config(): SetConfig {
    return this.#config;
  }

  /** The member's configuration; undefined if it was removed from the set. */
  get self(): MemberConfig | undefined {
    return this.#config.members.find(({ host }) => host === this.host);
  }

  get setVersion(): number {
    return this.#config.version;
  }

  get state(): MemberState {
    return this.#state;
  }

  get isPrimary(): boolean {
    return this.#state === 'primary';
  }

  /** Whether clients may read from the member. */
  get isReadable(): boolean {
    return this.#state === 'primary' || this.#state === 'secondary';
  }

  /** The primary, as far as the member knows. */
  get primary(): Member | undefined {
    return this.#primary;
  }

  get term(): bigint {
    return this.#term;
  }

  get counter(): bigint {
    return this.#counter;
  }

  /** The latest cluster time seen, from the member itself or from clients. */
  get clusterTime(): TimestampValue {
    return this.#clusterTime;
  }

  /** The optime of the last entry. */
  get opTime(): OpTime {
    return this.#log.last?.at ?? nowhere;
  }

  get lastWriteDate(): DateValue {
    return new DateValue(this.#log.last?.wall ?? 0);
  }

  /** The newest point that a majority has, as far as the member knows. */
  get committed(): Point {
    return this.#commit.committed;
  }

  /** The optime of the last durable entry. */
  get durable(): OpTime {
    return this.engine.durable.at ?? nowhere;
  }

  get election(): { readonly at: OpTime; readonly date: DateValue } {
    return { at: this.#electedAt, date: new DateValue(this.#electedAtWallTime) };
  }

  /** Rule: SDAM, "electionId": a later primary has a higher one. */
  get electionId(): ObjectIdValue {
    // Compute it once per term, because every reply to a write contains it.
    if (this.#electionIdOf !== this.#term) {
      this.#electionIdOf = this.#term;
      this.#electionId = ObjectIdValue.fromHex(`7fffffff${this.#term.toString(16).padStart(16, '0')}`);
    }
    return this.#electionId;
  }

  /** Returns a time later than all times seen. @param steps how many consecutive times are needed in the same second */
  nextTime(steps: number = 1): TimestampValue {
    const now = new TimestampValue(Math.floor(this.engine.clock.wallTime() / 1000), 1);
    return isLater(now, this.#clusterTime) ? now : timeAfter(this.#clusterTime, steps);
  }

  /** Appends a commit to the oplog. It gets a time later than all times seen, and one for each of its steps. */
  record({ value, ops, author, transaction, at: decided }: Commit): DatabaseValue {
    const wall = this.engine.clock.wallTime();
    const batches = isAtLeast(this.engine.version, '8.0');
    const steps = stepCount({ ops, transaction, batches });
    const first = decided ?? this.nextTime(steps);
    const ts = new TimestampValue(first.t, first.i + steps - 1);
    const at: OpTime = { ts, term: this.#term };
    const placed: DatabaseValue = { ...value, at };
    this.#log.append({ at, first, wall, ops, author, transaction, batches, value: placed });
    this.advanceClusterTime(ts);
    this.#commit.add({ at, wall, value: placed });
    return placed;
  }

  /** Called after the recorded value became the newest data. */
  recorded(): void {
    this.#observer.wrote(this);
    this.#moves.wake();
  }

  /** Writes a no-op entry, if the member is the primary. */
  advance(): void {
    if (this.isPrimary) this.engine.noop('periodic noop');
  }

  /**
   * Called for each command. A primary that has written nothing for `periodicNoopIntervalSecs` writes a no-op entry.
   * mongod uses a timer for that; here, it happens when a client could observe it.
   */
  commandReceived(): void {
    if (this.engine.clock.wallTime() - (this.#log.last?.wall ?? 0) >= this.#noopInterval) this.advance();
  }

  /** Appends the primary's entries. @param last the point of the last entry */
  follow(entries: Iterable<LogEntry>, last: Point): void {
    for (const entry of entries) this.#log.append(entry);
    this.advanceClusterTime(last.at.ts);
    this.#commit.add(last);
    this.engine.adopt(last.value);
    this.#moves.wake();
  }

  /** Replaces oplog and data by those of another member, up to a point. */
  resync({ log, committed }: Member, entries: Iterable<LogEntry>, last: Point): void {
    this.#log = this.#log.emptied(log.forgotten);
    this.#commit.reset(compareOpTimes(committed.at, last.at) < 0 ? committed : last);
    this.follow(entries, last);
  }

  /** Rolls back to an entry of the oplog, including the records of retryable writes. */
  rollBack(to: OpTime, value: DatabaseValue): void {
    this.#log.truncateAfter(to.ts);
    this.#commit.rollBack(to);
    this.engine.adopt(value);
    this.engine.cursors.invalidateAll();
    this.#touch();
    this.onRolledBack?.();
  }

  /** Simulates a crash of the process. */
  crash(): void {
    this.isUp = false;
    this.#state = 'startup';
    this.#primary = undefined;
    this.#progress.clear();
    this.#watchers.wake();
    this.#moves.wake();
  }

  /** Starts a new process. Entries that were not journaled are removed from the oplog. */
  restart(): void {
    const { value } = this.engine;
    const kept = value.at ?? nowhere;
    this.#log.truncateAfter(kept.ts);
    this.#commit.rollBack(kept);
    // The journal may end with entries that were rolled back. The oplog cannot continue them, and no majority has them.
    if (this.#log.size > 0 && compareOpTimes(this.opTime, kept) !== 0) this.#log = this.#log.emptied(kept.ts);
    else if (compareOpTimes(this.#commit.committed.at, kept) > 0) {
      this.#commit.reset({ at: kept, wall: this.lastWriteDate.ms, value });
    }
    this.isUp = true;
    this.isFrozen = false;
    this.quiescesUntil = undefined;
    this.frozenUntil = Number.NEGATIVE_INFINITY;
    this.#become(this.#resting());
    this.#counter = 0n;
  }

  /** Returns the member's state when it is not the primary. */
  #resting(): MemberState {
    const { self } = this;
    if (self === undefined) return 'removed';
    return self.arbiterOnly ? 'arbiter' : 'secondary';
  }

  /** Initializes the member with the set's first data. */
  begin(value: DatabaseValue): void {
    if (value !== this.engine.value) this.engine.adopt(value);
    const { at = nowhere } = value;
    // The oplog is not stored on disk, so it starts after the data's last entry.
    if (value.at !== undefined) this.#log = this.#log.emptied(at.ts);
    this.#commit.reset({ at, wall: 0, value });
    this.advanceClusterTime(at.ts);
  }

  /** Joins the initiated set as a secondary or arbiter. */
  join(): void {
    this.#become(this.#resting());
  }

  #become(state: MemberState): void {
    const wasPrimary = this.isPrimary;
    this.#state = state;
    if (state === 'primary') {
      if (hasExpiring(this.engine.value)) this.engine.expiry.start();
    } else this.engine.expiry.stop();
    this.#touch();
    if (wasPrimary && state !== 'primary') {
      this.#progress.clear();
      this.engine.transactions.abortAll(fail('InterruptedDueToReplStateChange', 'operation was interrupted'));
      this.#moves.wake();
    }
  }

  /** Increases the counter of topologyVersion, and wakes the operations that wait for a change. */
  #touch(): void {
    this.#counter += 1n;
    this.#watchers.wake();
  }

  /** Makes the member the primary. */
  win(term: bigint, message: string): void {
    this.#term = term;
    this.#primary = this;
    this.#state = 'primary';
    this.#progress.clear();
    this.decided.redo(this.engine, this.opTime.ts);
    this.engine.noop(message);
    this.#electedAt = this.opTime;
    this.#electedAtWallTime = this.lastWriteDate.ms;
    this.#become('primary');
    this.#observer.changed(this);
  }

  /** Makes the primary a secondary that knows no primary. */
  stepDown(): void {
    if (!this.isPrimary) return;
    this.#primary = undefined;
    this.#become(this.#resting());
    this.#observer.changed(this);
  }

  /** Adopts a higher term, in which another member was elected or tried to be. */
  seeTerm(term: bigint): void {
    if (term <= this.#term) return;
    this.#term = term;
    if (this.isPrimary) this.stepDown();
  }

  /** Sets the known primary. Returns whether it changed. */
  setPrimary(primary: Member | undefined): boolean {
    if (this.#primary === primary) return false;
    this.#primary = primary;
    this.#touch();
    return true;
  }

  /** Turns maintenance mode on or off (`replSetMaintenance`): in it, clients cannot read from the member. */
  setMaintenance(on: boolean): void {
    this.#become(on ? 'recovering' : this.#resting());
    this.#observer.changed(this);
  }

  /** Adopts a configuration. A primary that is removed or no longer electable steps down. */
  reconfigure(config: SetConfig): void {
    this.#config = config;
    if (this.isPrimary && this.self !== undefined) this.#touch();
    else this.#become(this.#resting());
    this.#moves.wake();
    this.#observer.changed(this);
  }

  /** Changes the address of a member in the configuration. */
  rename(before: string, host: string): void {
    const members = this.#config.members.map(member => (member.host === before ? { ...member, host } : member));
    this.#config = { ...this.#config, members };
  }

  /** Starts the quiesce mode before a shutdown, in which hello fails, until a time of the clock. */
  quiesce(until: Millis): void {
    this.quiescesUntil = until;
    this.stepDown();
    this.#touch();
  }

  /** On the primary: notes the progress of another member. */
  noteProgress(of: Member, { applied, durable }: Pick<Progress, 'applied' | 'durable'>): void {
    const known = this.#progress.get(of);
    const isOld =
      known !== undefined && compareOpTimes(known.applied, applied) >= 0 && compareOpTimes(known.durable, durable) >= 0;
    if (isOld) return;
    this.#progress.set(of, { applied, durable });
    this.advanceCommit();
    this.#moves.wake();
  }

  /** Returns the progress of all members with data, as far as the primary knows. */
  progress(): readonly Progress[] {
    const mine: readonly Progress[] =
      this.self === undefined ? [] : [{ config: this.self, applied: this.opTime, durable: this.durable }];
    const others = [...this.#progress].flatMap(([member, place]): readonly Progress[] => {
      const config = this.#config.members.find(({ host }) => host === member.host);
      return config === undefined || config.arbiterOnly ? [] : [{ config, ...place }];
    });
    return [...mine, ...others];
  }

  /** On the primary: advances the committed point to what a majority has. */
  advanceCommit(): void {
    if (!this.isPrimary) return;
    const place = majorityPlace(this.progress(), writeMajority(this.#config), this.#term);
    if (place === undefined || !this.#commit.advance(place)) return;
    this.#observer.committed(this);
    this.#moves.wake();
  }

  /** Saves all data to disk, so that the primary counts itself in majorities. */
  flush(): void {
    void this.engine.flush();
    this.advanceCommit();
  }

  /** Adopts the primary's committed point. The member's entries up to it can no longer be rolled back. */
  learnCommit(point: Point): void {
    const all = compareOpTimes(point.at, this.opTime) > 0;
    const mine = all ? { at: this.opTime, wall: this.lastWriteDate.ms, value: this.engine.value } : point;
    if (this.#commit.learn(mine)) this.#moves.wake();
  }

  /** Returns the newest point that a majority has. A client waits for it, so all data is saved to disk first. */
  majority(): Point {
    if (this.isPrimary) this.flush();
    return this.committed;
  }

  /** Advances the cluster time to that of a client. Rule: Driver Sessions, "Gossipping the cluster time". */
  advanceClusterTime(clusterTime: unknown): void {
    if (clusterTime instanceof TimestampValue && isLater(clusterTime, this.#clusterTime)) {
      this.#clusterTime = clusterTime;
    }
  }

  /** Requests entries up to a time from the primary. */
  want(ts: TimestampValue): void {
    this.#observer.wants(this, ts);
  }

  /** Returns the fields at the end of every reply. */
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

  /** Calls `wake` once, after the member's next change. Returns a function that cancels the callback. */
  onceChanged(wake: () => void): () => void {
    return this.#watchers.once(wake);
  }

  /** Calls `wake` once, when the member or a majority has more entries, or it steps down. Returns a cancel function. */
  onceMoved(wake: () => void): () => void {
    return this.#moves.once(wake);
  }
}

import type { Millis } from '@tessera/contracts';
import type { Entry } from '@tessera/mql/engine';
import { BinaryValue, DateValue, Doc, ObjectIdValue, TimestampValue, fail, isAtLeast } from '@tessera/mql/engine';
import type { DatabaseValue } from '../engine/database.js';
import type { Engine } from '../engine/engine.js';
import { hasExpiring } from '../engine/expiry.js';
import type { Commit, History } from '../engine/history.js';
import { Watchers } from '../engine/watchers.js';
import type { Entry as LogEntry } from '../log/entry.js';
import { Log, logLimitsOf } from '../log/log.js';
import type { OpTime } from '../log/op-time.js';
import { compareOpTimes, isLater, timeAfter } from '../log/op-time.js';
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

/** What the members of a set are told by one of them. */
export interface Fellows {
  readonly defaults: Defaults;
  readonly decided: Decided;
  /** It is the primary, and has written something. */
  wrote(member: Member): void;
  /** What it has is on its disk. */
  saved(member: Member): void;
  /** More is known to be held by a majority. */
  committed(member: Member): void;
  /** Its state, its primary, its term or its configuration is another. */
  changed(member: Member): void;
  /** It is to have what was written at that time, and a primary that wrote nothing since would make it wait for ever. */
  wants(member: Member, ts: TimestampValue): void;
}

const zeroHash = new BinaryValue(0, new Uint8Array(20));

const nowhere: OpTime = { ts: new TimestampValue(0, 0), term: -1n };

/** What a member has when the set is made, before the first entry comes. */
const beginning = (value: DatabaseValue): Point => ({ at: nowhere, wall: 0, value });

/**
 * One member of a replica set: its data and its log, and what it knows of the others. What it has to do with them is the
 * business of the set.
 */
export class Member implements History {
  /** Among the members of the set, in the order in which they were made. */
  readonly place: number;
  readonly setName: string;
  readonly engine: Engine;
  /** Where others find it; the configuration knows it by this. */
  host: string;
  /** Its process runs. */
  isUp = true;
  /** Its process stands still: it neither hears nor answers. */
  isFrozen = false;
  /** Of the clock: it is not elected before, unless it is told to. */
  frozenUntil: Millis = Number.NEGATIVE_INFINITY;
  /** What waits on it. */
  readonly inFlight: InFlight = new InFlight();
  /** Read and write concern where nobody says one. */
  readonly defaults: Defaults;
  /** What this set has to commit because others do. */
  readonly decided: Decided;
  /** Of the clock: then its process ends. */
  quiescesUntil: Millis | undefined;
  /** Called when some of what it had is taken back. */
  onRolledBack: (() => void) | undefined;
  readonly #fellows: Fellows;
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
  /** The term that it stands for. */
  #electionIdOf = 0n;
  /** Of topologyVersion: it rises with every change of the member. */
  #counter = 0n;
  #electedAt: OpTime = nowhere;
  #electedAtWallTime = 0;
  #clusterTime: TimestampValue = nowhere.ts;
  /** How far the others have come, while it is the primary. */
  readonly #progress = new Map<Member, Pick<Progress, 'applied' | 'durable'>>();

  constructor(engine: Engine, place: number, config: SetConfig, fellows: Fellows) {
    this.engine = engine;
    this.place = place;
    this.setName = config.name;
    this.host = config.members[place]!.host;
    this.#config = config;
    this.#fellows = fellows;
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
      this.#fellows.saved(this);
    };
  }

  /** What was committed. It is never empty once the set is made. */
  get log(): Log {
    return this.#log;
  }

  /** The data with what it has for itself in the database `local`. */
  withLocal(value: DatabaseValue): DatabaseValue {
    return this.#local.over(value, this.#log, this.#config);
  }

  get config(): SetConfig {
    return this.#config;
  }

  /** What the configuration says of it; undefined if it is in it no more. */
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

  /** It has data that may be read. */
  get isReadable(): boolean {
    return this.#state === 'primary' || this.#state === 'secondary';
  }

  /** Whom it takes for the primary. */
  get primary(): Member | undefined {
    return this.#primary;
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
    return this.#log.last?.at ?? nowhere;
  }

  get lastWriteDate(): DateValue {
    return new DateValue(this.#log.last?.wall ?? 0);
  }

  /** The newest that a majority has, as far as it knows. */
  get committed(): Point {
    return this.#commit.committed;
  }

  /** The newest that outlives a crash. */
  get durable(): OpTime {
    return this.engine.durable.at ?? nowhere;
  }

  get election(): { readonly at: OpTime; readonly date: DateValue } {
    return { at: this.#electedAt, date: new DateValue(this.#electedAtWallTime) };
  }

  /** Rule: SDAM, "electionId": higher for a later primary. */
  get electionId(): ObjectIdValue {
    // Every write tells it.
    if (this.#electionIdOf !== this.#term) {
      this.#electionIdOf = this.#term;
      this.#electionId = ObjectIdValue.fromHex(`7fffffff${this.#term.toString(16).padStart(16, '0')}`);
    }
    return this.#electionId;
  }

  /** Later than all that is known of. @param steps so many times that follow are in the same second */
  nextTime(steps: number = 1): TimestampValue {
    const now = new TimestampValue(Math.floor(this.engine.clock.wallTime() / 1000), 1);
    return isLater(now, this.#clusterTime) ? now : timeAfter(this.#clusterTime, steps);
  }

  /** A commit takes its place in the log, later than all that is known of: one for each of its steps. */
  record({ value, ops, author, transaction, at: decided }: Commit): DatabaseValue {
    const wall = this.engine.clock.wallTime();
    const batches = isAtLeast(this.engine.version, '8.0');
    const steps = stepCount({ ops, transaction, batches });
    const first = decided ?? this.nextTime(steps);
    const ts = new TimestampValue(first.t, first.i + steps - 1);
    const at: OpTime = { ts, term: this.#term };
    const placed: DatabaseValue = { ...value, at };
    this.#log.append({ at, first, wall, ops, author, transaction, batches, value: placed });
    this.hear(ts);
    this.#commit.add({ at, wall, value: placed });
    return placed;
  }

  /** What was recorded is the newest data. */
  recorded(): void {
    this.#fellows.wrote(this);
    this.#moves.wake();
  }

  /** Time passes without a write; only a primary can make it pass. */
  advance(): void {
    if (this.isPrimary) this.engine.noop('periodic noop');
  }

  /**
   * A command has come. A primary that has written nothing for `periodicNoopIntervalSecs` notes that time has passed: mongod has a timer for
   * it, here it is done when somebody may see it.
   */
  asked(): void {
    if (this.engine.clock.wallTime() - (this.#log.last?.wall ?? 0) >= this.#noopInterval) this.advance();
  }

  /** What the primary wrote, as it is there. @param last the data after the last of the entries */
  follow(entries: Iterable<LogEntry>, last: Point): void {
    for (const entry of entries) this.#log.append(entry);
    this.hear(last.at.ts);
    this.#commit.add(last);
    this.engine.adopt(last.value);
    this.#moves.wake();
  }

  /** Its log and its data are those of another member, up to that point. */
  resync({ log, committed }: Member, entries: Iterable<LogEntry>, last: Point): void {
    this.#log = this.#log.emptied(log.forgotten);
    this.#commit.reset(compareOpTimes(committed.at, last.at) < 0 ? committed : last);
    this.follow(entries, last);
  }

  /** What came after that entry of its log is taken back, and with it what sessions remember of it. */
  rollBack(to: OpTime, value: DatabaseValue): void {
    this.#log.truncateAfter(to.ts);
    this.#commit.rollBack(to);
    this.engine.adopt(value);
    this.engine.cursors.doomAll();
    this.#touch();
    this.onRolledBack?.();
  }

  /** Its process is gone. */
  crash(): void {
    this.isUp = false;
    this.#state = 'startup';
    this.#primary = undefined;
    this.#progress.clear();
    this.#watchers.wake();
    this.#moves.wake();
  }

  /** A new process: what the journal has not is gone from the log, too. */
  restart(): void {
    const { value } = this.engine;
    const kept = value.at ?? nowhere;
    this.#log.truncateAfter(kept.ts);
    this.#commit.rollBack(kept);
    // The journal may have what was taken back meanwhile: it is of no use, and no majority has it.
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

  /** What a member is that is not the primary. */
  #resting(): MemberState {
    const { self } = this;
    if (self === undefined) return 'removed';
    return self.arbiterOnly ? 'arbiter' : 'secondary';
  }

  /** The set is made, with that data in it. */
  begin(value: DatabaseValue): void {
    if (value !== this.engine.value) this.engine.adopt(value);
    const { at = nowhere } = value;
    // What led to it was not kept.
    if (value.at !== undefined) this.#log = this.#log.emptied(at.ts);
    this.#commit.reset({ at, wall: 0, value });
    this.hear(at.ts);
  }

  /** The set is made, and somebody else is its primary. */
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

  /** Whoever waits for a change of the member is told. */
  #touch(): void {
    this.#counter += 1n;
    this.#watchers.wake();
  }

  /** It is elected. */
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
    this.#fellows.changed(this);
  }

  /** It is the primary no more, and knows of no other. */
  stepDown(): void {
    if (!this.isPrimary) return;
    this.#primary = undefined;
    this.#become(this.#resting());
    this.#fellows.changed(this);
  }

  /** Somebody was, or wants to be, elected in that term. */
  seeTerm(term: bigint): void {
    if (term <= this.#term) return;
    this.#term = term;
    if (this.isPrimary) this.stepDown();
  }

  /** Returns whether that is news. */
  knowPrimary(primary: Member | undefined): boolean {
    if (this.#primary === primary) return false;
    this.#primary = primary;
    this.#touch();
    return true;
  }

  /** By `replSetMaintenance`: it has data, and lets nobody read it. */
  setMaintenance(on: boolean): void {
    this.#become(on ? 'recovering' : this.#resting());
    this.#fellows.changed(this);
  }

  /** Another configuration holds. Who is removed or was elected by another rule is what it may be now. */
  reconfigure(config: SetConfig): void {
    this.#config = config;
    if (this.isPrimary && this.self !== undefined) this.#touch();
    else this.#become(this.#resting());
    this.#moves.wake();
    this.#fellows.changed(this);
  }

  /** A member of the configuration is found elsewhere. */
  rename(before: string, host: string): void {
    const members = this.#config.members.map(member => (member.host === before ? { ...member, host } : member));
    this.#config = { ...this.#config, members };
  }

  /** The process ends at that time of the clock: clients are told. */
  quiesce(until: Millis): void {
    this.quiescesUntil = until;
    this.stepDown();
    this.#touch();
  }

  /** So far another member has come. */
  noteProgress(of: Member, { applied, durable }: Pick<Progress, 'applied' | 'durable'>): void {
    const known = this.#progress.get(of);
    const isOld =
      known !== undefined && compareOpTimes(known.applied, applied) >= 0 && compareOpTimes(known.durable, durable) >= 0;
    if (isOld) return;
    this.#progress.set(of, { applied, durable });
    this.advanceCommit();
    this.#moves.wake();
  }

  /** How far all have come that have data, as it knows as the primary. */
  progress(): readonly Progress[] {
    const mine: readonly Progress[] =
      this.self === undefined ? [] : [{ config: this.self, applied: this.opTime, durable: this.durable }];
    const others = [...this.#progress].flatMap(([member, place]): readonly Progress[] => {
      const config = this.#config.members.find(({ host }) => host === member.host);
      return config === undefined || config.arbiterOnly ? [] : [{ config, ...place }];
    });
    return [...mine, ...others];
  }

  /** As the primary: looks at what a majority has. */
  advanceCommit(): void {
    if (!this.isPrimary) return;
    const place = majorityPlace(this.progress(), writeMajority(this.#config), this.#term);
    if (place === undefined || !this.#commit.advance(place)) return;
    this.#fellows.committed(this);
    this.#moves.wake();
  }

  /** All that it has is on disk; as the primary it counts for a majority. */
  flush(): void {
    void this.engine.flush();
    this.advanceCommit();
  }

  /** The primary of its branch knows what a majority has; what of it this member has is never taken back. */
  learnCommit(point: Point): void {
    const all = compareOpTimes(point.at, this.opTime) > 0;
    const mine = all ? { at: this.opTime, wall: this.lastWriteDate.ms, value: this.engine.value } : point;
    if (this.#commit.learn(mine)) this.#moves.wake();
  }

  /** The newest that a majority has, where somebody waits for it: then what it has is on disk at once. */
  majority(): Point {
    if (this.isPrimary) this.flush();
    return this.committed;
  }

  /** A client knows of a later time. Rule: Driver Sessions, "Gossipping the cluster time". */
  hear(clusterTime: unknown): void {
    if (clusterTime instanceof TimestampValue && isLater(clusterTime, this.#clusterTime)) {
      this.#clusterTime = clusterTime;
    }
  }

  /** It is to have what was written at that time, sooner or later. */
  want(ts: TimestampValue): void {
    this.#fellows.wants(this, ts);
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

  /** Calls back once, after the next change of the member. Returns the way to take that back. */
  onceChanged(wake: () => void): () => void {
    return this.#watchers.once(wake);
  }

  /** Calls back once, when it or a majority has more, or when it steps down. Returns the way to take that back. */
  onceMoved(wake: () => void): () => void {
    return this.#moves.once(wake);
  }
}

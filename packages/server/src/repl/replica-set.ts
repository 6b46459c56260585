import type { Clock, Millis, Random } from '@tessera/contracts';
import type { TimestampValue } from '@tessera/mql/engine';
import type { DatabaseValue } from '@tessera/store';
import { compareOpTimes, isLater } from '@tessera/store';
import type { Engine } from '../engine/engine.js';
import { Decided } from '../txn/decided.js';
import { Alarm } from './alarm.js';
import type { Defaults } from './defaults.js';
import { defaultsIn } from './defaults.js';
import type { Candidate } from './election.js';
import { electionOf } from './election.js';
import type { Parcel } from './feed.js';
import { Feed } from './feed.js';
import type { MemberObserver } from './member.js';
import { Member } from './member.js';
import { Network } from './network.js';
import { newestOf } from './newest.js';
import { pull } from './pull.js';
import type { MemberConfig, SetConfig } from './set-config.js';
import { majorityVotes } from './set-config.js';

export interface SetDeps {
  readonly clock: Clock;
  readonly random: Random;
}

/** The set's state for each member. */
interface MemberRecord {
  readonly feed: Feed;
  /** Fires when the member has been without a suitable primary for the election timeout. */
  readonly watch: Alarm;
  /** Fires when the member may be elected again after a step-down or freeze. */
  readonly rest: Alarm;
  /** The members to which a message about the member's state is in transit. */
  readonly notifying: Set<Member>;
}

/**
 * The random part of the election timeout by which each member waits longer: mongod's
 * `electionTimeoutOffsetLimitFraction`.
 */
const offsetLimit = 0.15;

/** Whether the first configuration is newer. A forced configuration has no term. */
const isNewer = (a: SetConfig, b: SetConfig): boolean =>
  a.term === b.term || a.term < 0n || b.term < 0n ? a.version > b.version : a.term > b.term;

const isBehind = ({ at: a }: DatabaseValue, { at: b }: DatabaseValue): boolean =>
  b !== undefined && (a === undefined || compareOpTimes(a, b) < 0);

const electable = ({ priority, arbiterOnly }: MemberConfig): boolean => priority > 0 && !arbiterOnly;

/**
 * The members of a replica set, which all run in this process, and their communication. A member acts only on messages
 * that it has received. Messages arrive at once, unless the network has a latency or is cut.
 */
export class ReplicaSet implements MemberObserver {
  readonly name: string;
  readonly network: Network = new Network();
  readonly defaults: Defaults = { writeConcern: undefined, readConcern: undefined, setAt: undefined };
  readonly decided: Decided = new Decided();
  readonly members: readonly Member[];
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #records: ReadonlyMap<Member, MemberRecord>;
  #closed = false;

  /** @param engines one for each member of the configuration, in its order */
  constructor({ clock, random }: SetDeps, config: SetConfig, engines: readonly Engine[]) {
    this.name = config.name;
    this.#clock = clock;
    this.#random = random;
    this.members = engines.map((engine, place) => new Member(engine, place, config, this));
    this.#records = new Map(
      this.members.map(member => [
        member,
        {
          feed: new Feed(clock, parcel => this.#arrived(member, parcel)),
          watch: new Alarm(clock, () => this.#electionTimedOut(member)),
          rest: new Alarm(clock, () => this.#restEnded(member)),
          notifying: new Set<Member>(),
        },
      ]),
    );
  }

  #of(member: Member): MemberRecord {
    return this.#records.get(member)!;
  }

  /** The primary. If two members consider themselves primary, it is the one of the later election. */
  get primary(): Member | undefined {
    return this.members
      .filter(({ isPrimary, isUp }) => isPrimary && isUp)
      .sort((a, b) => (a.term < b.term ? 1 : -1))[0];
  }

  /** Whether messages get from one member to the other. */
  isReachable(a: Member, b: Member): boolean {
    if (a === b) return a.isUp;
    return a.isUp && b.isUp && !a.isFrozen && !b.isFrozen && this.network.reaches(a.place, b.place);
  }

  #reachableFrom(member: Member): readonly Member[] {
    return this.members.filter(other => other !== member && this.isReachable(member, other));
  }

  /**
   * Initiates the set. The first member with the highest priority becomes primary, and all members get the same first
   * entry.
   */
  initiate(): void {
    const { config } = this.members[0]!;
    const most = Math.max(...config.members.map(({ priority }) => priority));
    const first = this.members.find(({ self }) => self !== undefined && electable(self) && self.priority === most)!;
    // The newest data that a disk has, if any.
    const { value } = this.members.map(({ engine }) => engine).reduce((a, b) => (isBehind(a.value, b.value) ? b : a));
    Object.assign(this.defaults, defaultsIn(value));
    for (const member of this.members) member.begin(value);
    for (const member of this.members) if (member !== first) member.join();
    first.win((value.at?.term ?? 0n) + 1n, 'initiating set');
    first.flush();
  }

  // Reactions to changes of a member.

  wrote(source: Member): void {
    if (this.members.length > 1) this.#feedAll(source);
    source.advanceCommit();
  }

  committed(source: Member): void {
    this.decided.settle(source.committed.at.ts);
    for (const to of this.#reachableFrom(source)) {
      const knowsAll = to.primary === source && to.term === source.term;
      if (!knowsAll || this.network.latency(source.place, to.place) > 0) this.#notify(source, to);
      else {
        // The member has the source's other state already, so only the committed point is new.
        to.advanceClusterTime(source.clusterTime);
        if (this.#isOnBranch(to, source)) to.learnCommit(source.committed);
      }
    }
  }

  saved(member: Member): void {
    const { primary } = member;
    if (primary !== undefined && primary !== member) this.#report(member, primary);
  }

  /** Reports a member's progress to the primary. */
  #report(member: Member, primary: Member): void {
    const { opTime: applied, durable } = member;
    const { term } = primary;
    this.#after(this.network.latency(member.place, primary.place), () => {
      const isReachable = primary.isPrimary && primary.term === term && this.isReachable(primary, member);
      if (isReachable) primary.noteProgress(member, { applied, durable });
    });
  }

  changed(member: Member): void {
    // A new primary may lack the defaults that an earlier one set.
    if (member.isPrimary) Object.assign(this.defaults, defaultsIn(member.engine.value));
    this.#notifyAll(member);
    this.#review();
  }

  wants(member: Member, ts: TimestampValue): void {
    const primary = member.isPrimary ? member : member.primary;
    if (primary === undefined || !this.isReachable(member, primary)) return;
    const ask = (): void => {
      if (!this.isReachable(member, primary) || !primary.isPrimary) return;
      primary.advanceClusterTime(ts);
      if (isLater(ts, primary.opTime.ts)) primary.advance();
    };
    this.#after(this.network.latency(member.place, primary.place), ask);
  }

  /** Calls `work` after a delay, or synchronously if the delay is 0. */
  #after(takes: Millis, work: () => void): void {
    if (takes === 0) {
      work();
      return;
    }
    this.#clock.startTimer(
      takes,
      () => {
        if (!this.#closed) work();
      },
      { background: true },
    );
  }

  // Messages about the state of members.

  #notifyAll(from: Member): void {
    for (const to of this.#reachableFrom(from)) this.#notify(from, to);
  }

  #notify(from: Member, to: Member): void {
    const { notifying: notifying } = this.#of(from);
    if (notifying.has(to)) return;
    notifying.add(to);
    this.#after(this.network.latency(from.place, to.place), () => {
      notifying.delete(to);
      if (this.isReachable(to, from)) this.#notified(to, from);
    });
  }

  /** Exchanges the states of two members that can reach each other again. */
  #meet(a: Member, b: Member): void {
    this.#notify(a, b);
    this.#notify(b, a);
  }

  /** Processes a message about the state of another member. */
  #notified(to: Member, from: Member): void {
    const wasPrimary = to.isPrimary;
    if (isNewer(from.config, to.config)) to.reconfigure(from.config);
    const isNews = from.term > to.term;
    to.seeTerm(from.term);
    to.advanceClusterTime(from.clusterTime);
    const follows = from.isPrimary && from.term === to.term && !to.isPrimary;
    const known = follows ? from : to.primary === from ? undefined : to.primary;
    const isOther = !to.isPrimary && to.setPrimary(known);
    if (follows) {
      if (isOther) this.#feed(from, to);
      if (this.#isOnBranch(to, from)) to.learnCommit(from.committed);
    }
    // A member that sent an outdated term gets the newer one in return.
    if (from.term < to.term) this.#notify(to, from);
    if (isNews || isOther || wasPrimary !== to.isPrimary) this.changed(to);
  }

  /** Whether the other member has all entries of this member. */
  #isOnBranch(member: Member, primary: Member): boolean {
    if (member.log.last === primary.log.last) return true;
    const entry = primary.log.at(member.opTime.ts);
    return entry !== undefined && compareOpTimes(entry.at, member.opTime) === 0;
  }

  // Replication of entries.

  #feedAll(source: Member): void {
    for (const target of this.#reachableFrom(source)) this.#feed(source, target);
  }

  #feed(source: Member, target: Member): void {
    const config = target.self;
    const point = newestOf(source);
    if (config === undefined || config.arbiterOnly || point === undefined) return;
    if (!source.isPrimary || target.term > source.term) return;
    const takes = this.network.latency(source.place, target.place) + this.#lagOf(target, config);
    this.#of(target).feed.send({ source, term: source.term, point }, takes);
  }

  /** Stops or resumes replication to a member. */
  halt(member: Member, on: boolean): void {
    if (!this.network.halt(member.place, on)) return;
    this.#of(member).feed.clear();
    this.refresh();
  }

  /** Changes the replication delay of a member. Entries in transit are sent again. */
  setLag(member: Member, lag: Millis): void {
    this.network.setLag(member.place, lag);
    this.#of(member).feed.clear();
    this.refresh();
  }

  #lagOf(target: Member, { secondaryDelaySecs }: MemberConfig): Millis {
    return this.network.lag(target.place) + secondaryDelaySecs * 1000;
  }

  #arrived(target: Member, { source, term, point }: Parcel): void {
    const isCurrent = source.isPrimary && source.term === term && target.term <= term && !target.isPrimary;
    if (!isCurrent || !this.isReachable(target, source)) return;
    pull(target, source, point);
    this.#report(target, source);
    if (this.#isOnBranch(target, source)) target.learnCommit(source.committed);
  }

  // Elections.

  /** Starts the election timers of members without a suitable primary, and stops the others. */
  #review(): void {
    if (this.#closed) return;
    for (const member of this.members) {
      if (!member.isUp) continue;
      const { watch } = this.#of(member);
      if (this.#isSettled(member)) watch.stop();
      else watch.set(this.#electionTimeoutOf(member));
    }
  }

  #seesMajority(member: Member): boolean {
    const voters = [member, ...this.#reachableFrom(member)].filter(({ self }) => self?.votes === 1);
    return voters.length >= majorityVotes(member.config);
  }

  /** Whether the member has no reason to start an election or to step down. */
  #isSettled(member: Member): boolean {
    if (member.isPrimary) return this.#seesMajority(member);
    const { primary, self } = member;
    if (self === undefined) return true;
    if (primary === undefined || !primary.isPrimary || !this.isReachable(member, primary)) return false;
    return !this.#shouldTakeOver(member, primary);
  }

  /**
   * Rule: priority takeover: a member with a higher priority than the primary starts an election once it has caught up.
   */
  #shouldTakeOver({ self }: Member, primary: Member): boolean {
    if (self === undefined || !electable(self) || primary.self === undefined) return false;
    return self.priority > primary.self.priority;
  }

  #electionTimeoutOf(member: Member): Millis {
    const { electionTimeoutMillis } = member.config.settings;
    return member.isPrimary
      ? electionTimeoutMillis
      : Math.round(electionTimeoutMillis * (1 + offsetLimit * this.#random.unit()));
  }

  /**
   * Called when the election timer fires. A primary that reaches no majority steps down, and other members start an
   * election.
   */
  #electionTimedOut(member: Member): void {
    if (!member.isUp || member.isFrozen || this.#closed) return;
    if (!this.#isSettled(member)) {
      if (member.isPrimary) member.stepDown();
      else {
        const { primary } = member;
        if (primary !== undefined && !this.isReachable(member, primary)) member.setPrimary(undefined);
        if (this.#mayRun(member) && !this.#seesOtherPrimary(member)) this.run(member);
      }
    }
    this.#review();
  }

  /** Whether a primary exists that the member would not replace, although the message about it is still in transit. */
  #seesOtherPrimary(member: Member): boolean {
    return this.#reachableFrom(member).some(
      other => other.isPrimary && other.term >= member.term && !this.#shouldTakeOver(member, other),
    );
  }

  #mayRun(member: Member): boolean {
    const { self, state, frozenUntil } = member;
    return (
      self !== undefined &&
      electable(self) &&
      state === 'secondary' &&
      !member.isFrozen &&
      frozenUntil <= this.#clock.now()
    );
  }

  #candidate(member: Member): Candidate {
    const { term, opTime: last, config, self } = member;
    return { config: self!, term, last, configVersion: config.version };
  }

  /** Starts an election. Returns why the member was not elected, or undefined if it was. */
  run(member: Member): string | undefined {
    if (member.self === undefined) return `${member.host} is not in the configuration`;
    const voters = [member, ...this.#reachableFrom(member)].filter(({ self }) => self?.votes === 1);
    const result = electionOf(
      member.config,
      this.#candidate(member),
      voters.map(voter => this.#candidate(voter)),
    );
    if (!result.won) return result.why;
    for (const voter of voters) if (voter !== member) voter.seeTerm(result.term);
    this.#of(member).feed.clear();
    member.frozenUntil = Number.NEGATIVE_INFINITY;
    member.win(result.term, 'new primary');
    return undefined;
  }

  /** Copies the entries of the most recent reachable member at once, regardless of delays. */
  catchUp(member: Member): void {
    const [best] = this.#reachableFrom(member)
      .filter(({ self }) => self?.arbiterOnly === false)
      .sort((a, b) => compareOpTimes(b.opTime, a.opTime));
    if (best === undefined || member.self?.arbiterOnly !== false || member.isPrimary) return;
    const newest = newestOf(best);
    if (newest !== undefined) pull(member, best, newest);
  }

  /** Returns the members that may be elected in place of the primary at once, the best first. */
  successors(primary: Member): readonly Member[] {
    return this.#reachableFrom(primary)
      .filter(member => this.#mayRun(member) && compareOpTimes(member.opTime, primary.opTime) >= 0)
      .sort((a, b) => b.self!.priority - a.self!.priority || a.place - b.place);
  }

  /**
   * Prevents a member from starting elections by itself for a period. If it is the only voter, it is elected after the
   * period.
   */
  rest(member: Member, period: Millis): void {
    const { rest } = this.#of(member);
    rest.stop();
    member.frozenUntil = this.#clock.now() + period;
    rest.set(period);
  }

  #restEnded(member: Member): void {
    const alone = majorityVotes(member.config) === 1;
    if (member.isUp && alone && this.#mayRun(member)) this.run(member);
    this.#review();
  }

  /** Makes the primary step down for at least a period. A member with all entries, if there is one, is elected soon. */
  stepDown(member: Member, period: Millis): void {
    const [successor] = this.successors(member);
    member.stepDown();
    this.rest(member, period);
    if (successor === undefined) return;
    this.#clock.startTimer(
      this.network.latency(member.place, successor.place),
      () => {
        if (!this.#closed && successor.isUp && this.#mayRun(successor) && !this.#seesOtherPrimary(successor))
          this.run(successor);
      },
      { background: true },
    );
  }

  /** Applies a new configuration on one member. */
  reconfigure(member: Member, config: SetConfig): void {
    member.reconfigure(config);
    if (member.isPrimary) member.engine.noop('Reconfig set');
  }

  // Events of members and of the network.

  /** Exchanges states and entries after a change of the network, or of which members run. */
  refresh(): void {
    for (const a of this.members) {
      for (const b of this.members) if (a.place < b.place && this.isReachable(a, b)) this.#meet(a, b);
    }
    for (const source of this.members) if (source.isPrimary) this.#feedAll(source);
    this.#review();
  }

  /** Handles a crash of a member's process. Members that were connected to it notice at once. */
  crashed(member: Member): void {
    const reachable = this.#reachableFrom(member);
    member.crash();
    this.network.halt(member.place, false);
    this.#still(member);
    for (const other of reachable) if (other.primary === member && other.setPrimary(undefined)) this.changed(other);
    this.#review();
  }

  restarted(member: Member): void {
    member.restart();
    if (majorityVotes(member.config) === 1 && this.#mayRun(member)) this.run(member);
    this.refresh();
  }

  #still(member: Member): void {
    const { feed, watch, rest, notifying: notifying } = this.#of(member);
    feed.clear();
    watch.stop();
    rest.stop();
    notifying.clear();
  }

  /** Handles the closing of a member's server, which will not run again. */
  left(member: Member): void {
    this.crashed(member);
    this.#closed = this.members.every(({ isUp }) => !isUp);
  }

  /**
   * Handles a new address of a member. The configurations of all members change at once, because the old address was
   * never in use.
   */
  moved(member: Member, host: string): void {
    const { host: before } = member;
    member.host = host;
    for (const one of this.members) one.rename(before, host);
  }
}

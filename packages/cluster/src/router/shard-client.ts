import type { Clock, Millis, Random, Signal } from '@tessera/contracts';
import { CommandError, DateValue, Doc, ObjectIdValue, fail, isDoc } from '@tessera/mql/engine';
import type { ClusterTime } from './cluster-time.js';
import type { Preference, Standing } from './preference.js';
import { eligible } from './preference.js';
import { codeIn, isOk } from './replies.js';
import type { Shard, ShardMember, ShardServer } from './shard.js';
import type { MemberCommand } from './upstream.js';
import { runOn } from './upstream.js';

/**
 * The errors after which a command is sent again.
 * - `always`: after any transient error, because the command is idempotent
 * - `undone`: only if the command was certainly not executed
 * - `never`: in a transaction
 */
export type Retries = 'always' | 'undone' | 'never';

export interface Dispatch extends MemberCommand {
  readonly preference: Preference;
  readonly retries: Retries;
}

/** A reply and the member that sent it. */
export interface MemberReply {
  readonly member: ShardServer;
  readonly reply: Doc;
}

/** As in mongos. */
const mostRetries = 3;

/** How long a mongos looks for a member. */
const selectionTimeout: Millis = 20_000;

/** How often it looks. */
const interval: Millis = 20;

const notPrimary = 10107;

/** Codes of transient errors. */
const transient: ReadonlySet<number> = new Set([...[6, 7, 89, 91, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436]]);

const hello = Doc.of([
  ['hello', 1],
  ['$db', 'admin'],
]);

/** Sends the commands of one mongos to members of shards. */
export class ShardClient {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #time: ClusterTime;
  /** The descriptions of members, with the process id and topologyVersion for which they are valid. */
  readonly #known = new WeakMap<
    ShardMember,
    { readonly of: string; readonly standing: Standing<ShardMember> | undefined }
  >();

  constructor(clock: Clock, random: Random, time: ClusterTime) {
    this.#clock = clock;
    this.#random = random;
    this.#time = time;
  }

  /**
   * Sends a command to a member once.
   * @throws CommandError 6 if the member is not reachable
   */
  sendTo(member: ShardServer, db: string, body: Doc, signal: Signal): Promise<Doc> {
    return this.#sendTo(member, { db, body, signal });
  }

  async #sendTo(member: ShardServer, { db, body, signal, present }: MemberCommand): Promise<Doc> {
    const { clusterTime } = this.#time;
    const reply = await runOn(member, {
      db,
      body: clusterTime === undefined ? body : body.with('$clusterTime', clusterTime),
      signal,
      present,
    });
    this.#time.learn(reply);
    return reply;
  }

  /**
   * Sends a command to an eligible member, and retries it where that is safe.
   * @throws CommandError 6 if the member becomes unreachable, 133 if no member is found in time
   */
  async send(shard: Shard, command: Dispatch): Promise<MemberReply> {
    const { preference, retries, signal } = command;
    for (let left = retries === 'never' ? 0 : mostRetries; ; left--) {
      const member = await this.select(shard, preference, signal);
      try {
        const reply = await this.#sendTo(member, command);
        if (isOk(reply) || left === 0) return { member, reply };
        const code = codeIn(reply);
        if (!(retries === 'always' ? transient.has(code) : code === notPrimary)) return { member, reply };
      } catch (error) {
        if (left === 0 || retries !== 'always' || !(error instanceof CommandError)) throw error;
      }
    }
  }

  /**
   * Selects a member.
   * @throws CommandError 133 if none is found in time, 279 if the client disconnects meanwhile
   */
  async select(shard: Shard, preference: Preference, signal: Signal): Promise<ShardMember> {
    const until = this.#clock.now() + selectionTimeout;
    for (;;) {
      const standings = await Promise.all(
        shard.members.map(member =>
          preference.maxStaleness === undefined ? this.#standingOf(member, signal) : this.#describe(member, signal),
        ),
      );
      const some = eligible(
        standings.filter(one => one !== undefined),
        preference,
      );
      if (some.length > 0) return some[Math.floor(this.#random.unit() * some.length)]!.member;
      if (this.#clock.now() >= until) {
        throw fail(
          'FailedToSatisfyReadPreference',
          `Could not find host matching read preference { mode: "${preference.mode}" } for set ${shard.name}`,
        );
      }
      await this.#pause(signal);
    }
  }

  async #pause(signal: Signal): Promise<void> {
    try {
      await this.#clock.sleep(interval, signal);
    } catch {
      throw fail('ClientDisconnect', 'operation was interrupted because a client disconnected');
    }
  }

  async #standingOf(member: ShardMember, signal: Signal): Promise<Standing<ShardMember> | undefined> {
    if (!member.isRunning) return undefined;
    const of = `${member.state.processId.hex} ${member.member.counter}`;
    const known = this.#known.get(member);
    if (known?.of === of) return known.standing;
    const standing = await this.#describe(member, signal);
    this.#known.set(member, { of, standing });
    return standing;
  }

  async #describe(member: ShardMember, signal: Signal): Promise<Standing<ShardMember> | undefined> {
    const reply = await runOn(member, { db: 'admin', body: hello, signal }).catch(() => undefined);
    if (reply === undefined || !isOk(reply) || reply.get('arbiterOnly') === true || reply.get('hidden') === true)
      return undefined;
    const tags = reply.get('tags');
    const lastWrite = reply.get('lastWrite');
    const date = isDoc(lastWrite) ? lastWrite.get('lastWriteDate') : undefined;
    const electionId = reply.get('electionId');
    return {
      member,
      isPrimary: reply.get('isWritablePrimary') === true,
      isSecondary: reply.get('secondary') === true,
      electionId: electionId instanceof ObjectIdValue ? electionId.hex : '',
      tags: isDoc(tags) ? tags : Doc.EMPTY,
      lastWrite: date instanceof DateValue ? date.ms : 0,
    };
  }
}

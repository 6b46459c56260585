import type {
  Address,
  BsonCodec,
  Document,
  Millis,
  ObjectId,
  Runtime,
  TopologyVersion,
  WireCodec,
} from '@tessera/contracts';
import type { MembersPlan, Part } from '../plan.js';
import { Member } from './member.js';
import type { Answer, MemberDeps, Peer } from './member.js';
import { failureReply, helloReply } from './replies.js';
import type { Configuration, Role } from './roles.js';

/** The number of services behind the load balancer. */
const services = 3;

const ordinaryRole = (part: Part): Role => ({ is: part === 'data' ? 'secondary' : part });

export interface DeploymentDeps {
  readonly runtime: Runtime;
  readonly wire: WireCodec;
  readonly bson: BsonCodec;
  /** Records that a member carried out an insert. */
  readonly applied: (at: Address, key: number) => void;
  /** Records what a member does on its own, for the time line. */
  readonly note: (at: Address, what: string) => void;
}

/**
 * The actual state of the deployment. A replica set has one valid log, which belongs to the newest primary. A deposed
 * primary that has not noticed accepts writes, but never replies to them. They are lost when it steps down.
 */
export class Deployment {
  readonly #plan: MembersPlan;
  readonly #deps: DeploymentDeps;
  readonly #members: ReadonlyMap<Address, Member>;
  readonly #transactions = new Set<string>();
  readonly #cursors = new Map<Member, Set<string>>();
  readonly #held = new Map<Member, ((document: Document) => void)[]>();
  readonly #downServices = new Set<number>();
  #configuration: Configuration;
  #term = 0;
  #primary: Member | undefined;
  #cursorId = 0;

  constructor(plan: MembersPlan, deps: DeploymentDeps) {
    this.#plan = plan;
    this.#deps = deps;
    const { clock, listener } = deps.runtime;
    const configuration = { version: 1, members: plan.members.map(({ address }) => address) };
    this.#configuration = configuration;
    const memberDeps: MemberDeps = {
      ...{ clock, listener, wire: deps.wire },
      answer: (...received) => this.#answer(...received),
      hello: (...received) => this.#hello(...received),
      isCurrent: (member, known) =>
        String(known['processId']) === this.#processId(member).toHexString() &&
        Number(known['counter']) === member.counter,
      serviceOf: connection => this.#serviceOf(connection),
    };
    this.#members = new Map(
      plan.members.map(planned => {
        const belief = { role: ordinaryRole(planned.part), configuration, primary: undefined, lag: 0 };
        return [planned.address, new Member(planned, belief, memberDeps)];
      }),
    );
    for (const member of this.#members.values()) member.start();
    this.#electFirst();
  }

  at(address: Address): Member {
    return this.#members.get(address)!;
  }

  // Faults

  elect(address: Address, unnoticedFor: Millis): void {
    const member = this.at(address);
    if (member.belief.role.is !== 'secondary' || !member.isUp || member.shuttingDown) return;
    const before = this.#primary;
    this.#term += 1;
    this.#primary = member;
    this.#updateView(member);
    this.#become(member, { is: 'primary', term: this.#term });
    for (const other of this.#members.values()) if (other !== before) other.belief.primary = address;
    this.#deps.note(address, `is the primary of term ${this.#term}`);
    if (before !== undefined) this.#depose(before, unnoticedFor);
  }

  stepDown(): void {
    if (this.#primary === undefined) return;
    const before = this.#primary;
    this.#primary = undefined;
    for (const { belief } of this.#members.values()) belief.primary = undefined;
    this.#depose(before, 0);
  }

  restart(address: Address, notice: Millis, lasting: Millis): void {
    const member = this.at(address);
    if (this.#plan.deployment === 'loadBalanced') return this.#restartService(member, notice, lasting);
    if (!member.isUp || member.shuttingDown) return;
    member.shuttingDown = true;
    const goDown = (): void => {
      member.stop();
      this.#cursors.delete(member);
      this.#held.delete(member);
      this.#endPrimary(member);
      this.#deps.note(address, 'is down');
      member.after(lasting, () => this.#start(member));
    };
    if (notice === 0) goDown();
    else member.after(notice, goDown);
  }

  recover(address: Address, lasting: Millis): void {
    const member = this.at(address);
    if (member.belief.role.is !== 'secondary') return;
    this.#become(member, { is: 'recovering' });
    member.after(lasting, () => this.#endRecovery(member));
  }

  /** Removes a member. The first two members stay, so that a client that has a seed finds the set. */
  remove(address: Address): void {
    const member = this.at(address);
    const { version, members } = this.#configuration;
    if (members.indexOf(address) < 2 || member.belief.role.is === 'primary') return;
    this.#configuration = { version: version + 1, members: members.filter(other => other !== address) };
    this.#become(member, { is: 'removed' });
    this.#reconfigured();
  }

  add(address: Address): void {
    const member = this.at(address);
    const { version, members } = this.#configuration;
    if (member.belief.role.is !== 'removed') return;
    this.#configuration = { version: version + 1, members: [...members, address] };
    this.#become(member, ordinaryRole(member.planned.part));
    this.#reconfigured();
  }

  /** Ends all faults: every member is up, fast and has the current state, and there is a primary. */
  heal(): void {
    this.#downServices.clear();
    for (const member of this.#members.values()) {
      const { belief } = member;
      member.slow = 0;
      member.hangUpNext = false;
      if (member.shuttingDown || !member.isUp) {
        member.stop();
        this.#start(member);
      }
      belief.lag = 0;
      this.#endRecovery(member);
      if (belief.role.is === 'primary' && this.#primary !== member) this.#noticeElection(member);
    }
    if (this.#primary === undefined) this.#electFirst();
  }

  stop(): void {
    for (const member of this.#members.values()) member.stop();
  }

  // State changes

  #electFirst(): void {
    if (this.#plan.deployment === 'replicaSet') this.elect(this.#plan.members[0]!.address, 0);
  }

  #start(member: Member): void {
    if (member.isUp) return;
    member.start();
    this.#endPrimary(member);
    this.#updateView(member);
    this.#deps.note(member.address, `is up as process ${member.process}`);
  }

  /** A member that went down is not the primary any more. */
  #endPrimary(member: Member): void {
    if (this.#primary === member) this.#primary = undefined;
    if (member.belief.role.is === 'primary') member.belief.role = { is: 'secondary' };
  }

  #endRecovery(member: Member): void {
    if (member.belief.role.is === 'recovering') this.#become(member, { is: 'secondary' });
  }

  #depose(member: Member, unnoticedFor: Millis): void {
    if (unnoticedFor === 0) return this.#noticeElection(member);
    this.#deps.note(member.address, 'was deposed and has not noticed');
    member.after(unnoticedFor, () => this.#noticeElection(member));
  }

  #noticeElection(member: Member): void {
    if (member.belief.role.is !== 'primary' || this.#primary === member) return;
    this.#updateView(member);
    this.#become(member, { is: 'secondary' });
    for (const reply of this.#held.get(member) ?? []) reply(this.#failure(member, 11_602));
    this.#held.delete(member);
    this.#deps.note(member.address, 'is not the primary any more');
  }

  #become(member: Member, role: Role): void {
    member.belief.role = role;
    member.changed();
  }

  #updateView({ belief }: Member): void {
    belief.configuration = this.#configuration;
    belief.primary = this.#primary?.address;
  }

  /** A deposed primary that has not noticed does not receive the new configuration. */
  #reconfigured(): void {
    for (const member of this.#members.values()) {
      if (member.belief.role.is === 'primary' && member !== this.#primary) continue;
      this.#updateView(member);
      member.changed();
    }
  }

  #serviceOf(connection: number): number {
    const up = Array.from({ length: services }, (_, index) => index).filter(index => !this.#downServices.has(index));
    return up[connection % up.length]!;
  }

  #restartService(member: Member, notice: Millis, lasting: Millis): void {
    const service = this.#downServices.size;
    if (service >= services - 1) return;
    this.#downServices.add(service);
    this.#deps.note(member.address, `service ${service} shuts down`);
    member.after(notice, () => member.dropPeers(peer => peer.service === service));
    member.after(notice + lasting, () => this.#downServices.delete(service));
  }

  // Replies

  #objectId(number: number): ObjectId {
    return new this.#deps.bson.values.ObjectId(number.toString(16).padStart(24, '0'));
  }

  #processId(member: Member): ObjectId {
    return this.#objectId(this.#plan.members.indexOf(member.planned) * 1000 + member.process);
  }

  #versionOf(member: Member): TopologyVersion {
    return { processId: this.#processId(member), counter: BigInt(member.counter) };
  }

  #hello(member: Member, peer: Peer, command: Document): Document {
    const { deployment, members } = this.#plan;
    const { role } = member.belief;
    return helloReply({
      deployment,
      member,
      parts: new Map(members.map(({ address, part }) => [address, part])),
      isLegacy: 'isMaster' in command,
      topologyVersion: this.#versionOf(member),
      electionId: role.is === 'primary' ? this.#objectId(role.term) : undefined,
      serviceId: deployment === 'loadBalanced' ? this.#objectId(0xa0 + peer.service) : undefined,
      connectionId: peer.id,
      wallTime: this.#deps.runtime.clock.wallTime(),
    });
  }

  #failure(member: Member, code: number): Document {
    return failureReply(code, this.#versionOf(member));
  }

  #answer(member: Member, peer: Peer, command: Document, later: (document: Document) => void): Answer {
    const refused = this.#refusal(member, peer, command);
    if (refused !== undefined) return { is: 'reply', document: this.#failure(member, refused) };
    if ('insert' in command && member.belief.role.is === 'primary' && this.#primary !== member) {
      this.#held.set(member, [...(this.#held.get(member) ?? []), later]);
      return { is: 'nothing' };
    }
    const document = this.#perform(member, command);
    if (!member.hangUpNext) return { is: 'reply', document };
    member.hangUpNext = false;
    return { is: 'hangUp' };
  }

  /** Returns the error code for a command that the member may not execute in its state, or undefined if it may. */
  #refusal(member: Member, peer: Peer, command: Document): number | undefined {
    if (member.shuttingDown) return peer.id % 2 === 0 ? 91 : 11_600;
    if (this.#downServices.has(peer.service)) return 91;
    const { role } = member.belief;
    if (this.#plan.deployment !== 'replicaSet' || role.is === 'primary') return undefined;
    const isSecondary = role.is === 'secondary' || role.is === 'hidden';
    if ('insert' in command) return isSecondary ? 10_107 : 13_436;
    if (!('find' in command)) return undefined;
    if (!isSecondary) return 13_436;
    return command['$readPreference'] === undefined ? 13_435 : undefined;
  }

  #perform(member: Member, command: Document): Document {
    if ('insert' in command) return this.#insert(member, command);
    if ('find' in command) return this.#find(member, command);
    if ('getMore' in command) return this.#getMore(member, command);
    return { ok: 1 };
  }

  /** Carries out the statements of a session and transaction number once. Specification: Retryable Writes. */
  #insert(member: Member, command: Document): Document {
    const documents = command['documents'] as readonly { readonly _id: number }[];
    const lsid = command['lsid'] as { readonly id: { toString(as: 'hex'): string } } | undefined;
    const number = command['txnNumber'] as number | bigint | undefined;
    const transaction = number === undefined ? undefined : `${lsid?.id.toString('hex') ?? ''}/${String(number)}`;
    if (transaction === undefined || !this.#transactions.has(transaction)) {
      if (transaction !== undefined) this.#transactions.add(transaction);
      for (const { _id } of documents) this.#deps.applied(member.address, _id);
    }
    return { n: documents.length, ok: 1 };
  }

  #find(member: Member, command: Document): Document {
    const isWhole = command['singleBatch'] === true;
    this.#cursorId += 1;
    if (!isWhole) {
      const cursors = this.#cursors.get(member) ?? new Set();
      this.#cursors.set(member, cursors.add(String(this.#cursorId)));
    }
    const id = isWhole ? 0n : BigInt(this.#cursorId);
    return { cursor: { id, ns: 'db.c', firstBatch: [{ _id: 'first' }] }, ok: 1 };
  }

  #getMore(member: Member, command: Document): Document {
    const isKnown = this.#cursors.get(member)?.delete(String(command['getMore'])) === true;
    if (!isKnown) return { ok: 0, code: 43, codeName: 'CursorNotFound', errmsg: 'cursor id not found' };
    return { cursor: { id: 0n, ns: 'db.c', nextBatch: [{ _id: 'last' }] }, ok: 1 };
  }
}

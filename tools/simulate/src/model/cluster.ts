import type { Address, BsonCodec, Document, Millis, ObjectId, Runtime, WireCodec } from '@tessera/contracts';
import type { Part, Plan, PlannedMember } from '../plan.js';
import { helloReply } from './hello-reply.js';
import { Member } from './member.js';
import type { Answer, Peer } from './member.js';
import type { Belief, Configuration, Role } from './roles.js';
import { failureReply } from './failure-reply.js';

/** How many services stand behind the load balancer. */
const services = 3;

const ordinaryRole = (part: Part = 'data'): Role => ({ is: part === 'data' ? 'secondary' : part });

export interface ClusterDeps {
  readonly runtime: Runtime;
  readonly wire: WireCodec;
  readonly bson: BsonCodec;
  /** An insert was done by this member. */
  readonly applied: (at: Address, key: number) => void;
  /** What members do of themselves, for the time line. */
  readonly note: (at: Address, what: string) => void;
}

/**
 * The deployment as it truly is. Of a replica set one log is true, that of the newest primary; a primary that was
 * deposed without knowing it takes writes, and never answers them: they are lost when it steps down.
 */
export class Cluster {
  readonly plan: Plan;
  readonly members: ReadonlyMap<Address, Member>;
  readonly #deps: ClusterDeps;
  readonly #planned: ReadonlyMap<Address, PlannedMember>;
  readonly #beliefs: ReadonlyMap<Address, Belief>;
  readonly #transactions = new Set<string>();
  readonly #cursors = new Map<Member, Set<string>>();
  readonly #held = new Map<Address, ((document: Document) => void)[]>();
  readonly #downServices = new Set<number>();
  #configuration: Configuration;
  #term = 0;
  #primary: Address | undefined;
  #cursorId = 0;

  constructor(plan: Plan, deps: ClusterDeps) {
    this.plan = plan;
    this.#deps = deps;
    const { clock, listener } = deps.runtime;
    this.#planned = new Map(plan.members.map(member => [member.address, member]));
    this.#configuration = { version: 1, members: plan.members.map(({ address }) => address) };
    this.#beliefs = new Map(
      plan.members.map(({ address, part }) => [
        address,
        {
          role: ordinaryRole(part),
          configuration: this.#configuration,
          primary: undefined,
          lag: 0,
        },
      ]),
    );
    const memberDeps = {
      clock,
      listener,
      wire: deps.wire,
      answer: (member: Member, peer: Peer, command: Document, later: (document: Document) => void) =>
        this.#answer(member, peer, command, later),
      hello: (member: Member, peer: Peer, command: Document) => this.#hello(member, peer, command),
      isCurrent: (member: Member, known: Document) =>
        String(known['processId']) === this.#processId(member).toHexString() &&
        Number(known['counter']) === member.counter,
      serviceOf: (connection: number) => this.#serviceOf(connection),
    };
    this.members = new Map(plan.members.map(({ address }) => [address, new Member(address, memberDeps)]));
    for (const member of this.members.values()) member.start();
    if (plan.kind === 'replicaSet') this.elect(plan.members[0]!.address, 0);
  }

  // What happens to it

  elect(address: Address, unnoticedFor: Millis): void {
    const belief = this.#beliefs.get(address);
    const member = this.members.get(address);
    if (belief?.role.is !== 'secondary' || member?.isUp !== true || member.shuttingDown) return;
    const before = this.#primary;
    this.#term += 1;
    this.#primary = address;
    this.#tellConfiguration(address);
    this.#become(address, { is: 'primary', term: this.#term });
    for (const [other, known] of this.#beliefs) if (other !== before) known.primary = address;
    this.#deps.note(address, `is the primary of term ${this.#term}`);
    if (before !== undefined) this.#depose(before, unnoticedFor);
  }

  stepDown(): void {
    if (this.#primary === undefined) return;
    const before = this.#primary;
    this.#primary = undefined;
    for (const known of this.#beliefs.values()) known.primary = undefined;
    this.#depose(before, 0);
  }

  restart(address: Address, notice: Millis, lasting: Millis): void {
    if (this.plan.kind === 'loadBalanced') return this.#restartService(notice, lasting);
    const member = this.members.get(address);
    if (member?.isUp !== true || member.shuttingDown) return;
    member.shuttingDown = true;
    const goDown = (): void => {
      member.stop();
      this.#cursors.delete(member);
      this.#held.delete(address);
      if (this.#primary === address) this.#primary = undefined;
      const belief = this.#beliefs.get(address);
      if (belief?.role.is === 'primary') belief.role = { is: 'secondary' };
      this.#deps.note(address, 'is down');
      member.after(lasting, () => {
        this.#start(member);
      });
    };
    if (notice === 0) goDown();
    else member.after(notice, goDown);
  }

  recover(address: Address, lasting: Millis): void {
    const member = this.members.get(address);
    if (this.#beliefs.get(address)?.role.is !== 'secondary' || member === undefined) return;
    this.#become(address, { is: 'recovering' });
    member.after(lasting, () => {
      if (this.#beliefs.get(address)?.role.is === 'recovering') this.#become(address, { is: 'secondary' });
    });
  }

  /** The first two stay, so that whoever knows a seed finds the set. */
  remove(address: Address): void {
    const belief = this.#beliefs.get(address);
    const { version, members } = this.#configuration;
    if (members.indexOf(address) < 2 || belief === undefined || belief.role.is === 'primary') return;
    this.#configuration = { version: version + 1, members: members.filter(other => other !== address) };
    this.#become(address, { is: 'removed' });
    this.#reconfigured();
  }

  add(address: Address): void {
    const belief = this.#beliefs.get(address);
    const { version, members } = this.#configuration;
    if (belief?.role.is !== 'removed') return;
    this.#configuration = { version: version + 1, members: [...members, address] };
    this.#become(address, ordinaryRole(this.#planned.get(address)?.part));
    this.#reconfigured();
  }

  lag(address: Address, by: Millis): void {
    const belief = this.#beliefs.get(address);
    if (belief !== undefined) belief.lag = by;
  }

  /** Everyone is up, quick and knows what is true; there is a primary. */
  heal(): void {
    this.#downServices.clear();
    for (const [address, member] of this.members) {
      member.slow = 0;
      member.hangUpNext = false;
      if (member.shuttingDown || !member.isUp) {
        member.stop();
        this.#start(member);
      }
      const belief = this.#beliefs.get(address)!;
      belief.lag = 0;
      if (belief.role.is === 'recovering') this.#become(address, { is: 'secondary' });
      if (belief.role.is === 'primary' && this.#primary !== address) this.#learnOfDefeat(address);
    }
    if (this.plan.kind === 'replicaSet' && this.#primary === undefined) this.elect(this.plan.members[0]!.address, 0);
  }

  stop(): void {
    for (const member of this.members.values()) member.stop();
  }

  // How it happens

  #start(member: Member): void {
    if (member.isUp) return;
    member.start();
    const belief = this.#beliefs.get(member.address)!;
    if (belief.role.is === 'primary') belief.role = { is: 'secondary' };
    if (this.#primary === member.address) this.#primary = undefined;
    this.#tellConfiguration(member.address);
    this.#deps.note(member.address, `is up as process ${member.process}`);
  }

  #depose(address: Address, unnoticedFor: Millis): void {
    if (unnoticedFor === 0) return this.#learnOfDefeat(address);
    this.#deps.note(address, 'was deposed and does not know it');
    this.members.get(address)?.after(unnoticedFor, () => {
      this.#learnOfDefeat(address);
    });
  }

  #learnOfDefeat(address: Address): void {
    const role = this.#beliefs.get(address)?.role;
    if (role?.is !== 'primary' || this.#primary === address) return;
    this.#tellConfiguration(address);
    this.#become(address, { is: 'secondary' });
    for (const reply of this.#held.get(address) ?? []) reply(this.#failure(this.members.get(address)!, 11_602));
    this.#held.delete(address);
    this.#deps.note(address, 'is no primary any more');
  }

  #become(address: Address, role: Role): void {
    this.#beliefs.get(address)!.role = role;
    this.members.get(address)?.changed();
  }

  #tellConfiguration(address: Address): void {
    const belief = this.#beliefs.get(address)!;
    belief.configuration = this.#configuration;
    belief.primary = this.#primary;
  }

  /** Whoever is cut off from the true primary hears nothing of it. */
  #reconfigured(): void {
    for (const [address, { role }] of this.#beliefs) {
      if (role.is === 'primary' && address !== this.#primary) continue;
      this.#tellConfiguration(address);
      this.members.get(address)?.changed();
    }
  }

  #serviceOf(connection: number): number {
    const up = Array.from({ length: services }, (_, index) => index).filter(index => !this.#downServices.has(index));
    return up[connection % up.length]!;
  }

  #restartService(notice: Millis, lasting: Millis): void {
    const member = this.members.values().next().value!;
    const service = this.#downServices.size;
    if (service >= services - 1) return;
    this.#downServices.add(service);
    this.#deps.note(member.address, `service ${service} shuts down`);
    member.after(notice, () => {
      member.dropPeers(peer => peer.service === service);
    });
    member.after(notice + lasting, () => {
      this.#downServices.delete(service);
    });
  }

  // What it says

  #processId(member: Member): ObjectId {
    const index = this.plan.members.findIndex(({ address }) => address === member.address);
    return this.#objectId(index * 1000 + member.process);
  }

  #objectId(number: number): ObjectId {
    return new this.#deps.bson.values.ObjectId(number.toString(16).padStart(24, '0'));
  }

  #hello(member: Member, peer: Peer, command: Document): Document {
    const belief = this.#beliefs.get(member.address)!;
    return helloReply({
      kind: this.plan.kind,
      member: this.#planned.get(member.address)!,
      planned: this.#planned,
      belief,
      isLegacy: 'isMaster' in command,
      topologyVersion: { processId: this.#processId(member), counter: BigInt(member.counter) },
      electionId: belief.role.is === 'primary' ? this.#objectId(belief.role.term) : undefined,
      serviceId: this.plan.kind === 'loadBalanced' ? this.#objectId(0xa0 + peer.service) : undefined,
      connectionId: peer.id,
      wallTime: this.#deps.runtime.clock.wallTime(),
    });
  }

  #failure(member: Member, code: number): Document {
    return failureReply(code, { processId: this.#processId(member), counter: BigInt(member.counter) });
  }

  #answer(member: Member, peer: Peer, command: Document, later: (document: Document) => void): Answer {
    const refused = this.#refusal(member, peer, command);
    if (refused !== undefined) return { is: 'reply', document: this.#failure(member, refused) };
    const role = this.#beliefs.get(member.address)?.role;
    if ('insert' in command && role?.is === 'primary' && this.#primary !== member.address) {
      this.#held.set(member.address, [...(this.#held.get(member.address) ?? []), later]);
      return { is: 'nothing' };
    }
    const document = this.#perform(member, command);
    if (!member.hangUpNext) return { is: 'reply', document };
    member.hangUpNext = false;
    return { is: 'hangUp' };
  }

  /** Which code says that it is not what it was taken for. */
  #refusal(member: Member, peer: Peer, command: Document): number | undefined {
    if (member.shuttingDown) return peer.id % 2 === 0 ? 91 : 11_600;
    if (this.#downServices.has(peer.service)) return 91;
    if (this.plan.kind !== 'replicaSet') return undefined;
    const role = this.#beliefs.get(member.address)!.role.is;
    if (role === 'primary') return undefined;
    if ('insert' in command) return role === 'secondary' || role === 'hidden' ? 10_107 : 13_436;
    if (!('find' in command)) return undefined;
    if (role !== 'secondary' && role !== 'hidden') return 13_436;
    return command['$readPreference'] === undefined ? 13_435 : undefined;
  }

  #perform(member: Member, command: Document): Document {
    if ('insert' in command) return this.#insert(member, command);
    if ('find' in command) return this.#find(member, command);
    if ('getMore' in command) return this.#getMore(member, command);
    return { ok: 1 };
  }

  /** The same transaction number of the same session is done once. Rule: Retryable Writes. */
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

import type {
  Address,
  Clock,
  Document,
  Listener,
  Listening,
  Millis,
  Socket,
  Timer,
  WireCodec,
} from '@tessera/contracts';
import { createRequestReader, replyFrame } from '../../kernel/frames.js';
import type { ReceivedCommand } from '../../kernel/frames.js';
import type { PlannedMember } from '../plan.js';
import type { Belief } from './roles.js';

/** A connection on the side of the member. */
export interface Peer {
  readonly id: number;
  readonly socket: Socket;
  /** The number of the service that the connection leads to. Used behind a load balancer. */
  readonly service: number;
  /** The time at which the reply before may be sent. Replies are sent in order. */
  busyUntil: Millis;
  /** A hello that waits for a change of the topologyVersion. */
  waiting:
    | { readonly received: ReceivedCommand; readonly limit: Millis; to: number; timer: Timer | undefined }
    | undefined;
}

/** The reaction to a command: a reply, the end of the connection, or no reply yet. */
export type Answer =
  | { readonly is: 'reply'; readonly document: Document }
  | { readonly is: 'hangUp' }
  | { readonly is: 'nothing' };

export interface MemberDeps {
  readonly clock: Clock;
  readonly listener: Listener;
  readonly wire: WireCodec;
  /** Answers every command except a waiting hello. `later` sends a reply that was held back. */
  readonly answer: (member: Member, peer: Peer, command: Document, later: (document: Document) => void) => Answer;
  readonly hello: (member: Member, peer: Peer, command: Document) => Document;
  /** Returns whether the topologyVersion that the client sent is the current one. */
  readonly isCurrent: (member: Member, known: Document) => boolean;
  readonly serviceOf: (connection: number) => number;
}

/** A process that listens, replies in order, and pushes hello replies to clients that wait for changes. */
export class Member {
  readonly planned: PlannedMember;
  readonly belief: Belief;
  /** The number of the process, which increases at each restart. */
  process = 0;
  /** The counter of the topologyVersion. */
  counter = 0;
  /** The delay of each reply. */
  slow: Millis = 0;
  /** Whether the member announces its shutdown in the reply to every command. */
  shuttingDown = false;
  hangUpNext = false;
  readonly #deps: MemberDeps;
  readonly #peers = new Set<Peer>();
  readonly #timers = new Set<Timer>();
  #listening: Promise<Listening> | undefined;
  #stopping: Promise<void> = Promise.resolve();
  #connections = 0;
  #replies = 0;

  constructor(planned: PlannedMember, belief: Belief, deps: MemberDeps) {
    this.planned = planned;
    this.belief = belief;
    this.#deps = deps;
  }

  get address(): Address {
    return this.planned.address;
  }

  get isUp(): boolean {
    return this.#listening !== undefined;
  }

  start(): void {
    if (this.#listening !== undefined) return;
    this.process += 1;
    this.counter = 1;
    this.shuttingDown = false;
    this.hangUpNext = false;
    this.#listening = this.#stopping.then(() =>
      this.#deps.listener.listen(this.address, socket => this.#accept(socket)),
    );
  }

  stop(): void {
    const listening = this.#listening;
    if (listening !== undefined) this.#stopping = listening.then(it => it.close());
    this.#listening = undefined;
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
    this.dropPeers(() => true);
  }

  dropPeers(which: (peer: Peer) => boolean): void {
    for (const peer of [...this.#peers]) {
      if (!which(peer)) continue;
      this.#forget(peer);
      peer.socket.destroy();
    }
  }

  /** Increments the topologyVersion and answers all waiting hellos. */
  changed(): void {
    this.counter += 1;
    for (const peer of [...this.#peers]) if (peer.waiting !== undefined) this.#answerWaiting(peer);
  }

  after(delay: Millis, run: () => void): Timer {
    const timer = this.#deps.clock.startTimer(delay, () => {
      this.#timers.delete(timer);
      run();
    });
    this.#timers.add(timer);
    return timer;
  }

  #accept(socket: Socket): void {
    this.#connections += 1;
    const id = this.#connections;
    const peer = { id, socket, service: this.#deps.serviceOf(id), busyUntil: 0, waiting: undefined };
    this.#peers.add(peer);
    socket.listen(
      createRequestReader(
        this.#deps.wire,
        received => this.#receive(peer, received),
        () => this.#forget(peer),
      ),
    );
  }

  #forget(peer: Peer): void {
    this.#peers.delete(peer);
    this.#stopWaiting(peer);
  }

  #stopWaiting(peer: Peer): void {
    if (peer.waiting?.timer === undefined) return;
    peer.waiting.timer.cancel();
    this.#timers.delete(peer.waiting.timer);
    peer.waiting.timer = undefined;
  }

  #receive(peer: Peer, received: ReceivedCommand): void {
    if (!this.#peers.has(peer)) return;
    const { command } = received;
    const send = (document: Document): void => void this.#send(peer, received.requestId, document, false);
    if ('hello' in command || 'isMaster' in command) {
      if (command['maxAwaitTimeMS'] === undefined) return send(this.#deps.hello(this, peer, command));
      const limit = Number(command['maxAwaitTimeMS']);
      peer.waiting = { received, limit, to: received.requestId, timer: undefined };
      if (this.#deps.isCurrent(this, command['topologyVersion'] as Document)) this.#waitFor(peer);
      else this.#answerWaiting(peer);
      return;
    }
    const answer = this.#deps.answer(this, peer, command, send);
    if (answer.is === 'hangUp') this.dropPeers(other => other === peer);
    if (answer.is === 'reply' && !received.unanswered) send(answer.document);
  }

  #waitFor(peer: Peer): void {
    const { waiting } = peer;
    if (waiting === undefined) return;
    waiting.timer = this.after(waiting.limit, () => this.#answerWaiting(peer));
  }

  #answerWaiting(peer: Peer): void {
    const { waiting } = peer;
    if (waiting === undefined) return;
    this.#stopWaiting(peer);
    const { received } = waiting;
    const document = this.#deps.hello(this, peer, received.command);
    waiting.to = this.#send(peer, waiting.to, document, received.exhaust);
    if (received.exhaust) this.#waitFor(peer);
    else peer.waiting = undefined;
  }

  /** Sends a reply and returns its request id. */
  #send(peer: Peer, to: number, document: Document, more: boolean): number {
    const { clock, wire } = this.#deps;
    this.#replies += 1;
    const id = this.#replies;
    const now = clock.now();
    peer.busyUntil = Math.max(peer.busyUntil, now + this.slow);
    const write = (): void => {
      if (this.#peers.has(peer)) peer.socket.write(replyFrame(wire, { id, to, more }, document));
    };
    if (peer.busyUntil <= now) write();
    else this.after(peer.busyUntil - now, write);
    return id;
  }
}

/** One simulated connection: its two ends and the packets in transit between them. */
import type { Address, Millis, Socket, SocketSink } from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';
import type { Agenda } from './agenda.js';
import type { Chance } from './chance.js';

/** The functions that a connection needs from its network. */
export interface Road {
  readonly agenda: Agenda;
  readonly chance: Chance;
  readonly readsAhead: boolean;
  readonly splitWrites: boolean;
  /** `write` returns false once this many bytes are in transit. */
  readonly sendBuffer: number;
  note(what: string): void;
  /** Returns the latency of the next packet. */
  delay(conduit: Conduit): Millis;
  /** Whether a partition holds the packets back. */
  isCut(conduit: Conduit): boolean;
  /** Decides from the seed what happens to a packet of data. */
  fate(conduit: Conduit): 'arrives' | 'swallowed' | 'reset';
  /** Notifies the listener of a connection request. */
  knock(conduit: Conduit): void;
  /** Notifies the client of the result. */
  answered(conduit: Conduit, accepted: boolean): void;
  gone(conduit: Conduit): void;
}

type Packet =
  | { readonly kind: 'knock' | 'accepted' | 'refused' | 'fin'; at: Millis }
  | { readonly kind: 'data'; at: Millis; readonly bytes: Uint8Array; readonly lent: Uint8Array };

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, byteLength);

/** Hash of the bytes, so that the history can compare contents without storing them: FNV-1a of 32 bits at a time. */
const fingerprint = (bytes: Uint8Array): string => {
  const view = viewOf(bytes);
  const words = bytes.length & ~3;
  let hash = 0x811c9dc5;
  for (let at = 0; at < words; at += 4) hash = Math.imul(hash ^ view.getInt32(at), 0x01000193);
  for (let at = words; at < bytes.length; at += 1) hash = Math.imul(hash ^ bytes[at]!, 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
};

/** Compares arrays of the same length. */
const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => {
  const [left, right] = [viewOf(a), viewOf(b)];
  const words = a.length & ~3;
  for (let at = 0; at < words; at += 4) if (left.getInt32(at) !== right.getInt32(at)) return false;
  for (let at = words; at < a.length; at += 1) if (a[at] !== b[at]) return false;
  return true;
};

/** Returns up to three positions at which a write is cut, in order. The first bytes are cut more often. */
const cuts = (length: number, chance: Chance): readonly number[] => {
  if (length < 2) return [length];
  const places = new Set<number>([length]);
  for (let count = chance.below(4); count > 0; count -= 1) {
    places.add(1 + chance.below(chance.happens(0.3) ? Math.min(length - 1, 20) : length - 1));
  }
  return [...places].sort((a, b) => a - b);
};

export class End implements Socket {
  readonly name: string;
  readonly readsAhead: boolean;
  /** `ending`: writes no more, reads until its data has arrived. `shut`: sends and receives nothing. */
  state: 'open' | 'ending' | 'shut' = 'open';
  readonly #conduit: Conduit;
  readonly #road: Road;
  readonly #flight: Packet[] = [];
  #inbox: Packet[] = [];
  /**
   * Set while the room holds bytes for which `filled` has not been called. With a host that reads ahead, the two are
   * separate steps.
   */
  #landing = false;
  #sink: SocketSink | undefined;
  #reading = false;
  #room: Uint8Array | undefined;
  #unsent = 0;
  #full = false;
  #closing: { readonly cause: unknown } | undefined;
  #closedReported = false;

  constructor(name: string, conduit: Conduit, road: Road) {
    this.name = name;
    this.#conduit = conduit;
    this.#road = road;
    this.readsAhead = road.readsAhead;
  }

  get isShut(): boolean {
    return this.state === 'shut';
  }

  get peer(): End {
    return this.#conduit.client === this ? this.#conduit.server : this.#conduit.client;
  }

  listen(sink: SocketSink): void {
    this.#sink = sink;
    this.#soon('starts reading', () => {
      this.#reading = true;
      if (this.#closing === undefined && this.readsAhead) this.#room = this.#roomOf(sink);
      this.#readOn();
      this.#reportClosed();
    });
  }

  write(bytes: Uint8Array): boolean {
    if (this.state !== 'open') return true;
    const copy = bytes.slice();
    let from = 0;
    for (const to of this.#road.splitWrites ? cuts(copy.length, this.#road.chance) : [copy.length]) {
      this.#send({ kind: 'data', at: 0, bytes: copy.subarray(from, to), lent: bytes.subarray(from, to) });
      from = to;
    }
    this.#unsent += copy.length;
    this.#full ||= this.#unsent > this.#road.sendBuffer;
    return !this.#full;
  }

  end(): void {
    if (this.state !== 'open') return;
    this.state = 'ending';
    this.#send({ kind: 'fin', at: 0 });
  }

  destroy(): void {
    if (this.state === 'shut') return;
    const hadEnded = this.state === 'ending';
    this.#road.note(`${this.#title()} destroyed by ${this.name}`);
    this.shut(undefined);
    if (hadEnded || this.peer.state === 'shut') return;
    this.#loseUnsent();
    this.#send({ kind: 'fin', at: 0 });
  }

  reset(): void {
    if (this.state !== 'shut') this.#conduit.reset(`reset by ${this.name}`);
  }

  /** Stops sending and receiving. The sink's `closed` is called once, in a later turn. */
  shut(cause: unknown): void {
    if (this.state === 'shut') return;
    this.state = 'shut';
    this.#inbox = [];
    this.#room = undefined;
    this.#closing = { cause };
    if (this.#reading) this.#soon('closes', () => this.#reportClosed());
    if (this.peer.state === 'shut') this.#road.gone(this.#conduit);
  }

  /** Drops the packets in transit from this end. */
  dropFlight(): void {
    this.#flight.length = 0;
  }

  /** Drops unsent bytes. The seed decides how many of them were sent. */
  #loseUnsent(): void {
    let left = this.#road.chance.below(this.#flight.filter(packet => packet.kind === 'data').length + 1);
    const kept = this.#flight.filter(packet => packet.kind !== 'data' || left-- > 0);
    this.#flight.splice(0, this.#flight.length, ...kept);
  }

  signal(kind: 'knock' | 'accepted' | 'refused'): void {
    this.#send({ kind, at: 0 });
  }

  /** Sends the packets that a partition held back again, in order. */
  resume(): void {
    for (const packet of this.#flight.splice(0)) this.#send(packet);
  }

  get waiting(): number {
    return this.#flight.length;
  }

  #title(): string {
    return this.#conduit.title;
  }

  #soon(what: string, run: () => void): void {
    this.#road.agenda.add(this.#road.agenda.now(), 'packet', () => `${this.#title()} ${this.name} ${what}`, run);
  }

  #send(packet: Packet): void {
    const { agenda } = this.#road;
    const earliest = this.#flight.at(-1)?.at ?? 0;
    packet.at = Math.max(earliest, agenda.now() + this.#road.delay(this.#conduit));
    this.#flight.push(packet);
    agenda.add(
      packet.at,
      'packet',
      () => `${this.#title()} packet from ${this.name}`,
      () => this.#arrive(),
    );
  }

  /** Delivers all packets that are due, in order. */
  #arrive(): void {
    while (!this.#road.isCut(this.#conduit)) {
      const first = this.#flight[0];
      if (first === undefined || first.at > this.#road.agenda.now()) return;
      this.#flight.shift();
      if (this.#conduit.swallows) continue;
      if (first.kind === 'data') this.#arriveData(first);
      else this.peer.#take(first);
    }
  }

  #arriveData(packet: Packet & { kind: 'data' }): void {
    if (!sameBytes(packet.bytes, packet.lent)) {
      throw new MongoError(
        'usage',
        `${this.name} changed bytes after writing them to ${this.peer.name} and before they left. ` +
          'Rule: Socket.write, "must not change until the socket is closed".',
      );
    }
    const fate = this.#road.fate(this.#conduit);
    if (fate === 'reset') return this.#conduit.reset('reset by chance');
    if (fate === 'swallowed') return this.#conduit.swallow();
    this.#road.note(`${this.#title()} ${packet.bytes.length} bytes from ${this.name} ${fingerprint(packet.bytes)}`);
    this.#unsent -= packet.bytes.length;
    this.peer.#take(packet);
    if (this.#full && this.#unsent === 0 && this.state === 'open') {
      this.#full = false;
      this.#sink?.drained();
    }
  }

  #take(packet: Packet): void {
    if (packet.kind === 'knock') return this.#road.knock(this.#conduit);
    if (packet.kind === 'accepted' || packet.kind === 'refused') {
      return this.#road.answered(this.#conduit, packet.kind === 'accepted');
    }
    if (packet.kind === 'fin' && (this.state === 'shut' || this.#isDeaf)) return this.#endStream();
    if (this.state === 'shut') return;
    if (!this.#reading || this.#sink === undefined || this.#landing) {
      this.#inbox.push(packet);
      return;
    }
    if (packet.kind === 'data') {
      if (this.readsAhead) this.#land(this.#sink, packet);
      else this.#read(this.#sink, packet.bytes);
      return;
    }
    this.#endStream();
  }

  /** Whether this end has ended its stream and never had a sink. */
  get #isDeaf(): boolean {
    return this.state === 'ending' && this.#sink === undefined;
  }

  #endStream(): void {
    this.#road.note(`${this.#title()} end of stream at ${this.name}`);
    this.shut(undefined);
    // An end that has sent everything closes together with its peer's end: hosts do not keep a half-closed stream.
    this.peer.shut(undefined);
  }

  #readOn(): void {
    while (!this.#landing) {
      const packet = this.#inbox.shift();
      if (packet === undefined) return;
      this.#take(packet);
    }
  }

  #read(sink: SocketSink, bytes: Uint8Array): void {
    let offset = 0;
    while (offset < bytes.length && this.state !== 'shut') {
      const room = this.#roomOf(sink);
      const length = Math.min(room.length, bytes.length - offset);
      room.set(bytes.subarray(offset, offset + length));
      offset += length;
      sink.filled(length);
    }
  }

  /**
   * Writes into a room that was requested before. If sockets share the room, these bytes may be overwritten until
   * `filled`.
   */
  #land(sink: SocketSink, packet: Packet & { kind: 'data' }): void {
    const room = this.#room ?? this.#roomOf(sink);
    const length = Math.min(room.length, packet.bytes.length);
    room.set(packet.bytes.subarray(0, length));
    this.#landing = true;
    this.#soon('reads', () => {
      this.#landing = false;
      if (this.state === 'shut') return;
      sink.filled(length);
      if (this.isShut) return;
      this.#room = this.#roomOf(sink);
      if (length < packet.bytes.length) this.#inbox.unshift({ ...packet, bytes: packet.bytes.subarray(length) });
      this.#readOn();
    });
  }

  #roomOf(sink: SocketSink): Uint8Array {
    const room = sink.room();
    if (room.length === 0) throw new MongoError('usage', `${this.name} gave an empty room. Rule: SocketSink.room.`);
    return room;
  }

  #reportClosed(): void {
    if (this.#closing === undefined || this.#closedReported || this.#sink === undefined) return;
    this.#closedReported = true;
    this.#sink.closed(this.#closing.cause);
  }
}

/** A connection between a client's end and a server's end. */
export class Conduit {
  readonly id: number;
  readonly from: string;
  readonly to: Address;
  readonly client: End;
  readonly server: End;
  /** Set if packets are lost silently from now on. */
  swallows = false;
  established = false;
  readonly #road: Road;

  constructor(id: number, from: string, to: Address, road: Road) {
    this.id = id;
    this.from = from;
    this.to = to;
    this.#road = road;
    this.client = new End(from, this, road);
    this.server = new End(to, this, road);
  }

  get title(): string {
    return `${this.from}>${this.to}#${this.id}`;
  }

  swallow(): void {
    if (this.swallows) return;
    this.swallows = true;
    this.#road.note(`${this.title} falls silent`);
    this.client.dropFlight();
    this.server.dropFlight();
  }

  reset(why: string): void {
    this.#road.note(`${this.title} ${why}`);
    for (const end of [this.client, this.server]) {
      end.dropFlight();
      end.shut(Object.assign(new Error(`read ECONNRESET (${this.title})`), { code: 'ECONNRESET' }));
    }
  }

  resume(): void {
    this.client.resume();
    this.server.resume();
  }
}

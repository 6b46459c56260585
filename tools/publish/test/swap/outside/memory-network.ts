/** An in-memory network for a server and a client in the same process. */
import type { Address, Clock, Listener, Socket, SocketSink, Transport } from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';

export interface MemoryNetwork {
  readonly transport: Transport;
  readonly listener: Listener;
}

/** The number of undelivered bytes above which `write` returns false. */
const enough = 256 * 1024;

class End implements Socket {
  readonly readsAhead = false;
  peer: End | undefined;
  #sink: SocketSink | undefined;
  #unread: Uint8Array[] = [];
  #unreadBytes = 0;
  #waitsForRoom = false;
  #ends = false;
  #closed = false;
  #delivering = false;

  listen(sink: SocketSink): void {
    this.#sink = sink;
    this.deliverSoon();
  }

  write(bytes: Uint8Array): boolean {
    if (this.#closed || this.#ends || this.peer === undefined) return true;
    if (bytes.length > 0) this.peer.#receive(bytes);
    this.#waitsForRoom ||= this.peer.#unreadBytes > enough;
    return !this.#waitsForRoom;
  }

  end(): void {
    this.#ends = true;
    this.peer?.deliverSoon();
  }

  destroy(): void {
    if (this.#closed) return;
    const { peer } = this;
    this.#close();
    if (peer === undefined) return;
    peer.#unread = [];
    peer.#close();
  }

  #receive(bytes: Uint8Array): void {
    this.#unread.push(bytes);
    this.#unreadBytes += bytes.length;
    this.deliverSoon();
  }

  deliverSoon(): void {
    if (this.#delivering || this.#sink === undefined) return;
    this.#delivering = true;
    queueMicrotask(() => {
      this.#delivering = false;
      this.#deliver();
    });
  }

  #deliver(): void {
    const sink = this.#sink;
    for (let bytes = this.#unread.shift(); bytes !== undefined; bytes = this.#unread.shift()) {
      if (sink === undefined || this.#closed) return;
      const room = sink.room();
      const length = Math.min(room.length, bytes.length);
      room.set(bytes.subarray(0, length));
      if (length < bytes.length) this.#unread.unshift(bytes.subarray(length));
      this.#unreadBytes -= length;
      sink.filled(length);
    }
    this.peer?.makeRoom();
    const { peer } = this;
    if (peer !== undefined && peer.#ends && !this.#closed) {
      this.#close();
      peer.#close();
    }
  }

  makeRoom(): void {
    if (!this.#waitsForRoom || this.#closed) return;
    this.#waitsForRoom = false;
    this.#sink?.drained();
  }

  /** Closes this end. The sink is notified in a later microtask. */
  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    queueMicrotask(() => this.#sink?.closed());
  }
}

const pair = (): readonly [End, End] => {
  const [here, there] = [new End(), new End()];
  here.peer = there;
  there.peer = here;
  return [here, there];
};

export const createMemoryNetwork = ({ clock }: { readonly clock: Clock }): MemoryNetwork => {
  const listening = new Map<Address, (socket: Socket) => void>();
  const hosts = new Set<string>();
  let lastPort = 0;

  const hostOf = (address: Address): string => address.replace(/:\d+$/, '');
  const refusal = (
    kind: 'network' | 'timeout' | 'aborted',
    address: Address,
    why: string,
    cause?: unknown,
  ): MongoError => {
    const phase = hosts.has(hostOf(address)) ? 'connect' : 'resolve';
    return new MongoError(kind, `${address}: ${why}`, { cause, origin: { phase, sent: false, address } });
  };

  return {
    transport: {
      async connect(to, { deadline, signal }) {
        await Promise.resolve();
        if (signal?.aborted === true)
          throw refusal('aborted', to, 'The connection attempt was aborted.', signal.reason);
        if (clock.now() >= deadline) throw refusal('timeout', to, 'The deadline passed before the connection attempt.');
        const accept = listening.get(to);
        if (accept === undefined) throw refusal('network', to, 'No server listens at this address.');
        const [here, there] = pair();
        accept(there);
        return here;
      },
    },
    listener: {
      async listen(at, accept) {
        const address = at.endsWith(':0') ? `${hostOf(at)}:${(lastPort += 1)}` : at;
        hosts.add(hostOf(address));
        listening.set(address, accept);
        return {
          address,
          close: async () => {
            listening.delete(address);
          },
        };
      },
    },
  };
};

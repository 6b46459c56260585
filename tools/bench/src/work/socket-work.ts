import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { Binary, deserialize, Long, serialize, Timestamp } from 'bson';
import type { Work } from './work.js';

const headerBytes = 16;
/** The offset of the body: after the header, the flags and the section kind. */
const bodyOffset = headerBytes + 5;
const opMsg = 2013;

/** Returns the bytes of a findOne as the driver sends them. */
const request = (): Buffer => {
  const body = serialize({
    find: 'one',
    filter: { _id: 1 },
    limit: 1,
    singleBatch: true,
    lsid: { id: new Binary(Buffer.alloc(16), 4) },
    $clusterTime: {
      clusterTime: new Timestamp({ t: 1_700_000_000, i: 1 }),
      signature: { hash: new Binary(Buffer.alloc(20, 7)), keyId: Long.fromString('7300000000000000001') },
    },
    $db: 'bench',
  });
  const frame = Buffer.alloc(bodyOffset + body.length);
  frame.writeInt32LE(frame.length, 0);
  frame.writeInt32LE(opMsg, 12);
  frame.set(body, bodyOffset);
  return frame;
};

/** A connection that sends the same bytes each time and resolves when the reply has arrived. It decodes nothing. */
class Exchange {
  /** The reply to the last request. */
  readonly received: Buffer = Buffer.alloc(64 * 1024);
  readonly #socket: Socket;
  readonly #bytes: Buffer;
  #length = 0;
  #resolve: () => void = () => undefined;

  constructor(port: number, bytes: Buffer) {
    this.#bytes = bytes;
    this.#socket = connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      onread: {
        buffer: this.received,
        callback: length => {
          this.#length = length;
          this.#resolve();
          return true;
        },
      },
    });
  }

  send(): Promise<void> {
    return new Promise(resolve => {
      this.#resolve = resolve;
      this.#socket.write(this.#bytes);
    });
  }

  /** Returns the document in the last reply. */
  document(): unknown {
    const { cursor } = deserialize(this.received.subarray(bodyOffset, this.#length)) as {
      cursor: { firstBatch: readonly unknown[] };
    };
    return cursor.firstBatch[0];
  }
}

/**
 * Creates the work of exchanging the bytes of a findOne over sockets, without a driver. It is the lowest cost that a
 * driver
 * on Node.js can have.
 */
export const createSocketWorks = (port: number): ReadonlyMap<string, Work> => {
  const bytes = request();
  const idle: Exchange[] = [];
  const send = async (): Promise<Exchange> => {
    const exchange = idle.pop() ?? new Exchange(port, bytes);
    await exchange.send();
    idle.push(exchange);
    return exchange;
  };
  const work: Work = {
    operate: send,
    asynchronous: true,
    outcome: exchange => (exchange as Exchange).document(),
    verify: async () => (await send()).document(),
  };
  return new Map([['socket-floor', work]]);
};

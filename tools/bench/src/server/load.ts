import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { deserialize, EJSON } from 'bson';
import type { Document } from 'bson';
import { replyStart } from './frames.js';

/** A connection with the callbacks for its reply. */
interface Lane {
  readonly socket: Socket;
  /** The received part of an incomplete reply. */
  pending: Buffer | undefined;
  /** Receives a reply. Its memory is reused after the call. */
  take: (reply: Buffer) => void;
  fail: (error: Error) => void;
}

export interface Requests {
  /** Returns the frame of the i-th request. `i` continues across runs. */
  readonly request: (i: number) => Uint8Array;
  /** Returns whether a reply is correct. */
  readonly check: (reply: Document) => boolean;
}

/** A client with almost no cost of its own: it sends prepared frames and decodes few of the replies. */
export interface Load {
  /** Sends a request and returns the reply. */
  ask(frame: Uint8Array): Promise<Document>;
  /**
   * Sends requests, starting with number `first`, for the given time on `width` connections at once. Returns the number
   * of
   * replies. @throws Error if a reply is incorrect; every 64th reply is checked
   */
  run(requests: Requests, first: number, milliseconds: number, width: number): Promise<number>;
  close(): void;
}

const checked = 64;

const documentOf = (reply: Buffer): Document => deserialize(reply.subarray(replyStart), { useBigInt64: true });

const receive = (lane: Lane, chunk: Buffer): void => {
  const bytes = lane.pending === undefined ? chunk : Buffer.concat([lane.pending, chunk]);
  const whole = bytes.length >= 4 && bytes.length >= bytes.readInt32LE(0);
  // Copy, because the memory of the chunk is reused.
  lane.pending = whole ? undefined : Buffer.from(bytes);
  if (whole) lane.take(bytes);
};

const roomSize = 65_536;

const openLane = async (port: number): Promise<Lane> => {
  const buffer = Buffer.alloc(roomSize);
  const socket = connect({
    port,
    host: '127.0.0.1',
    noDelay: true,
    onread: {
      buffer,
      callback: length => {
        receive(lane, buffer.subarray(0, length));
        return true;
      },
    },
  });
  const lane: Lane = { socket, pending: undefined, take: () => undefined, fail: () => undefined };
  await once(socket, 'connect');
  socket.on('error', error => {
    lane.fail(error);
  });
  socket.on('close', () => {
    lane.fail(new Error('The server closed a connection.'));
  });
  return lane;
};

/** Opens the connections. @throws Error if no server listens on the port */
export const openLoad = async (port: number, connections: number): Promise<Load> => {
  const lanes = await Promise.all(Array.from({ length: connections }, () => openLane(port)));
  return {
    ask: frame =>
      new Promise((resolve, reject) => {
        const lane = lanes[0]!;
        lane.take = reply => {
          resolve(documentOf(reply));
        };
        lane.fail = reject;
        lane.socket.write(frame);
      }),
    run: ({ request, check }, first, milliseconds, width) =>
      new Promise((resolve, reject) => {
        const end = performance.now() + milliseconds;
        let asked = 0;
        let answered = 0;
        const next = ({ socket }: Lane): void => {
          socket.write(request(first + asked++));
        };
        const took = (lane: Lane, reply: Buffer): void => {
          answered += 1;
          if (answered % checked === 1 && !check(documentOf(reply))) {
            const shown = EJSON.stringify(documentOf(reply)).slice(0, 500);
            reject(new Error(`The server sent an incorrect reply: ${shown}`));
          } else if (performance.now() < end) next(lane);
          else if (answered === asked) resolve(answered);
        };
        for (const lane of lanes.slice(0, width)) {
          lane.take = reply => {
            took(lane, reply);
          };
          lane.fail = reject;
          next(lane);
        }
      }),
    close: () => {
      for (const lane of lanes) {
        lane.fail = () => undefined;
        lane.socket.destroy();
      }
    },
  };
};

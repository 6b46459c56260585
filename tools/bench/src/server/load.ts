import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { deserialize, EJSON } from 'bson';
import type { Document } from 'bson';
import { replyStart } from './frames.js';

/** A connection, and who waits for its reply. */
interface Lane {
  readonly socket: Socket;
  /** What has come of the reply so far; nothing where replies come whole. */
  pending: Buffer | undefined;
  /** The memory of a reply is used again when this returns. */
  take: (reply: Buffer) => void;
  fail: (error: Error) => void;
}

export interface Requests {
  /** The frame of each; `i` grows from one run to the next. */
  readonly request: (i: number) => Uint8Array;
  /** Whether a reply is the one that is asked for. */
  readonly check: (reply: Document) => boolean;
}

/** Asks a server by prepared frames and looks into few of the replies, so that whoever measures with it measures the server. */
export interface Load {
  /** One request, and its reply. */
  ask(frame: Uint8Array): Promise<Document>;
  /**
   * Requests from the `first` on for so long, so many of them under way at once, each on a connection of its own. Answers how
   * many were answered. @throws Error for a reply that does not pass: every sixty-fourth is checked
   */
  run(requests: Requests, first: number, milliseconds: number, width: number): Promise<number>;
  close(): void;
}

const checked = 64;

const documentOf = (reply: Buffer): Document => deserialize(reply.subarray(replyStart), { useBigInt64: true });

const receive = (lane: Lane, chunk: Buffer): void => {
  const bytes = lane.pending === undefined ? chunk : Buffer.concat([lane.pending, chunk]);
  const whole = bytes.length >= 4 && bytes.length >= bytes.readInt32LE(0);
  // The chunk's memory is used again for the next one.
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
    lane.fail(new Error('The server has closed a connection'));
  });
  return lane;
};

/** With as many connections as are ever used at once. @throws Error if nobody listens at that port */
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
            reject(new Error(`This reply does not answer the request: ${shown}`));
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

import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { EJSON } from 'bson';
import type { Document } from '../documents/varied.js';
import { prepareReplies, recordedReply, refusal } from './replies.js';
import type { Prepared, Replies } from './replies.js';
import { readCommand, readRequest } from './request.js';
import type { Request } from './request.js';

/** Below this a reply is copied as a whole; above, header and body are written as they lie. */
const copied = 8192;
const headerLength = 16;

const answer = (socket: Socket, { id }: Request, prepared: Prepared): void => {
  const own = Buffer.from(prepared.length <= copied ? prepared : prepared.subarray(0, headerLength));
  own.writeInt32LE(id, 8);
  if (own.length === prepared.length) {
    socket.write(own);
    return;
  }
  socket.cork();
  socket.write(own);
  socket.write(prepared.subarray(headerLength));
  socket.uncork();
};

/** The writes that arrived since `record`, without what differs from one driver to the next: sessions and order. */
interface Recording {
  readonly writes: Document[];
}

const lasting = ({ insert, documents, $db }: Document): Document => ({ insert, documents, $db });

/** A server's end of a connection: frames from chunks, an answer to each. */
const serve = (socket: Socket, reply: (request: Request, frame: Buffer) => Prepared): void => {
  let rest: Buffer[] = [];
  let have = 0;
  let need = 4;
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  socket.on('data', chunk => {
    rest.push(chunk);
    have += chunk.length;
    if (have < need) return;
    let bytes = rest.length === 1 ? chunk : Buffer.concat(rest);
    need = 4;
    while (bytes.length >= 4) {
      need = bytes.readInt32LE(0);
      if (bytes.length < need) break;
      const frame = bytes.subarray(0, need);
      const request = readRequest(frame);
      const prepared = reply(request, frame);
      if (!request.silent) answer(socket, request, prepared);
      bytes = bytes.subarray(need);
      need = 4;
    }
    rest = bytes.length > 0 ? [bytes] : [];
    have = bytes.length;
  });
};

const find = (replies: Replies, { legacy, command, target, cursor }: Request): Prepared => {
  if (legacy) return replies.legacyHello;
  if (command === 'getMore') return replies.byCursor.get(cursor) ?? refusal(`getMore of ${cursor}`);
  return replies.byCommand.get(`${command}:${target}`) ?? replies.byCommand.get(command) ?? refusal(command);
};

export interface NullServer {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * A primary of the replica set `rs0` that answers hello, ping, find, getMore, insert, killCursors and endSessions with
 * bytes prepared before, so that whoever asks it is what is measured. From `record` on it keeps what is inserted, and
 * `recorded` answers that as extended JSON.
 */
export const startNullServer = async (): Promise<NullServer> => {
  const sockets = new Set<Socket>();
  let recording: Recording | undefined;
  const reply = (request: Request, frame: Buffer): Prepared => {
    if (request.command === 'record') recording = { writes: [] };
    if (request.command === 'recorded') {
      const { writes } = recording ?? { writes: [] };
      recording = undefined;
      return recordedReply(EJSON.stringify(writes, { relaxed: false }));
    }
    if (recording !== undefined && request.command === 'insert') recording.writes.push(lasting(readCommand(frame)));
    return find(replies, request);
  };
  const server = createServer(socket => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    serve(socket, reply);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const replies = prepareReplies(`127.0.0.1:${port}`);
  return {
    port,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise(resolve => server.close(() => resolve()));
    },
  };
};

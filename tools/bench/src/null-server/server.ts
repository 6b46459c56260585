import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { createAuthority } from '@tessera-tools/judges';
import { EJSON } from 'bson';
import type { Document } from '../documents/varied.js';
import type { NullPlaces } from '../places.js';
import { isCompressed, packed, unpack } from './compressed.js';
import { greetings, prepareCommon, recordedReply, refusal, repliesAt } from './replies.js';
import type { Prepared, Replies } from './replies.js';
import { readCommand, readRequest } from './request.js';
import type { Request } from './request.js';

/** Replies up to this size are copied; larger ones are sent as two writes, header and body. */
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

const everywhere = '0.0.0.0';

/** The writes received since `record`, without parts that differ between drivers, such as sessions. */
interface Recording {
  readonly writes: Document[];
}

const recordedCommands: readonly string[] = ['insert', 'update', 'delete', 'bulkWrite'];

/** Returns the command without the fields that every driver writes in its own way. */
const lasting = ({ insert, update, delete: deleted, bulkWrite, documents, updates, deletes, ops, $db }: Document) =>
  Object.fromEntries(
    Object.entries({ insert, update, delete: deleted, bulkWrite, documents, updates, deletes, ops, $db }).filter(
      ([, value]) => value !== undefined,
    ),
  );

interface Received extends Request {
  readonly compressed: boolean;
}

/** Serves a connection: reassembles frames from chunks and replies to each. */
const serve = (socket: Socket, reply: (request: Received, frame: Buffer) => Prepared): void => {
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
      const received = bytes.subarray(0, need);
      const compressed = isCompressed(received);
      const frame = compressed ? unpack(received) : received;
      const request = { ...readRequest(frame), compressed };
      const prepared = reply(request, frame);
      if (!request.silent) answer(socket, request, compressed ? packed(prepared) : prepared);
      bytes = bytes.subarray(need);
      need = 4;
    }
    rest = bytes.length > 0 ? [bytes] : [];
    have = bytes.length;
  });
};

const find = (replies: Replies, { legacy, command, target, cursor }: Request, frame: Buffer): Prepared => {
  if (legacy) return replies.legacyHello;
  if (command === 'getMore') return replies.byCursor.get(cursor) ?? refusal(`getMore of ${cursor}`);
  if (target === 'fs.chunks' && command === 'find')
    return replies.chunks(Number(readCommand(frame)['batchSize'] ?? 101));
  return replies.byCommand.get(`${command}:${target}`) ?? replies.byCommand.get(command) ?? refusal(command);
};

export interface NullServer extends NullPlaces {
  close(): Promise<void>;
}

const listen = async (
  server: Server,
  host: string,
): Promise<{ readonly port: number; readonly close: () => Promise<void> }> => {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>(resolve => server.listen(0, host, resolve));
  const close = (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    return new Promise(resolve => server.close(() => resolve()));
  };
  return { port: (server.address() as AddressInfo).port, close };
};

/**
 * Starts a server that replies with prepared bytes, so that benchmarks measure the driver and not the server. It acts
 * as
 * the primary of the replica set `rs0` and supports the commands of the rows. After the command `record`, it stores
 * writes; `recorded` returns them as Extended JSON. It listens on four ports:
 * without TLS, with TLS, without TLS but with mandatory zlib compression after the handshake, and as a mongos.
 * @param fileBytes the length of the file in the default bucket
 */
export const startNullServer = async (fileBytes: number): Promise<NullServer> => {
  let recording: Recording | undefined;
  const reply = (replies: Replies, request: Request, frame: Buffer): Prepared => {
    if (request.command === 'record') recording = { writes: [] };
    if (request.command === 'recorded') {
      const { writes } = recording ?? { writes: [] };
      recording = undefined;
      return recordedReply(EJSON.stringify(writes, { relaxed: false }));
    }
    if (recording !== undefined && recordedCommands.includes(request.command))
      recording.writes.push(lasting(readCommand(frame)));
    return find(replies, request, frame);
  };
  const common = prepareCommon(fileBytes);
  const open = async (
    server: Server,
    connected: 'connection' | 'secureConnection',
    compression: readonly string[],
    host = '127.0.0.1',
  ): ReturnType<typeof listen> => {
    const listening = await listen(server, host);
    const replies = repliesAt(host === everywhere ? undefined : `${host}:${listening.port}`, compression, common);
    server.on(connected, (socket: Socket) => {
      serve(socket, (request, frame) => {
        const { command, compressed } = request;
        const isUncompressed = compression.length > 0 && !compressed && !greetings.includes(command);
        return isUncompressed ? refusal(`${command} without compression`) : reply(replies, request, frame);
      });
    });
    return listening;
  };
  const authority = createAuthority();
  const { certificate, key } = authority.issue('127.0.0.1', { hosts: ['127.0.0.1'] });
  const plain = await open(createServer(), 'connection', []);
  const tls = await open(createTlsServer({ cert: certificate, key }), 'secureConnection', []);
  const zlib = await open(createServer(), 'connection', ['zlib']);
  const mongos = await open(createServer(), 'connection', [], everywhere);
  return {
    port: plain.port,
    tlsPort: tls.port,
    authority: authority.certificate,
    zlibPort: zlib.port,
    mongosPort: mongos.port,
    close: async () => {
      await Promise.all([plain, tls, zlib, mongos].map(listening => listening.close()));
    },
  };
};

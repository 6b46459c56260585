/**
 * A server in a simulated world that answers each command as the test specifies: with a reply, with none, or by closing
 * the connection.
 */
import type { Address, Socket } from '@tessera/contracts';
import type { World } from '@tessera/sim';
import { deserialize, serialize } from 'bson';
import type { Document } from 'bson';

/** The state of one connection; a test may add fields. A reply goes to the request `answers`, if the test sets it. */
export interface Peer extends Record<string, unknown> {
  readonly id: number;
}

/** Returns the reply to a command, or a promise of a delayed reply. */
export type Respond = (command: Document, peer: Peer) => Document | Promise<Document> | 'silence' | 'hang up';

export interface ScriptedServer {
  /** Every command, in the order of arrival. */
  readonly received: readonly Document[];
  close(): Promise<void>;
}

export const HELLO = {
  helloOk: true,
  isWritablePrimary: true,
  minWireVersion: 0,
  maxWireVersion: 25,
  maxBsonObjectSize: 16_777_216,
  maxMessageSizeBytes: 48_000_000,
  maxWriteBatchSize: 100_000,
  logicalSessionTimeoutMinutes: 30,
  ok: 1,
};

/** Returns whether the command is a heartbeat or a handshake. */
export const isHello = (command: Document): boolean => /^(?:hello|ismaster)$/i.test(Object.keys(command)[0]!);

const HEADER = 16;
const BODY = 21;
/** The flag of a request that expects no reply. */
const MORE_TO_COME = 2;

const opMsg = (reply: Document, responseTo: number): Uint8Array => {
  const body = serialize(reply);
  const frame = new Uint8Array(BODY + body.length);
  const view = new DataView(frame.buffer);
  [frame.length, 1, responseTo, 2013, 0].forEach((value, index) => {
    view.setInt32(4 * index, value, true);
  });
  frame.set(body, BODY);
  return frame;
};

/** Parses the OP_MSG bodies of a socket and ignores document sequences. */
const attend = (socket: Socket, peer: Peer, received: Document[], respond: Respond): void => {
  let bytes = Buffer.alloc(0);
  let room = new Uint8Array(0);
  const answer = (): void => {
    while (bytes.length >= HEADER && bytes.length >= bytes.readInt32LE(0)) {
      const [length, id] = [bytes.readInt32LE(0), bytes.readInt32LE(4)];
      const isAnswered = (bytes.readInt32LE(HEADER) & MORE_TO_COME) === 0;
      const command = deserialize(bytes.subarray(BODY, BODY + bytes.readInt32LE(BODY)));
      bytes = bytes.subarray(length);
      received.push(command);
      const reply = respond(command, peer);
      if (reply === 'hang up') return socket.destroy();
      if (reply === 'silence' || !isAnswered) continue;
      const send = (expectedText: Document): unknown =>
        socket.write(opMsg({ ok: 1, ...expectedText }, (peer['answers'] as number | undefined) ?? id));
      if (reply instanceof Promise) void reply.then(send);
      else send(reply);
    }
  };
  socket.listen({
    room: () => (room = new Uint8Array(65_536)),
    filled: length => {
      bytes = Buffer.concat([bytes, room.subarray(0, length)]);
      answer();
    },
    drained: () => undefined,
    closed: () => {
      socket.destroy();
    },
  });
};

export const scriptServer = async (world: World, address: Address, respond: Respond): Promise<ScriptedServer> => {
  const received: Document[] = [];
  const open: Socket[] = [];
  const { listener } = world.at(address.replace(/:\d+$/, ''));
  const listening = await listener.listen(address, socket => {
    open.push(socket);
    attend(socket, { id: open.length }, received, respond);
  });
  return {
    received,
    close: async () => {
      for (const socket of open) socket.destroy();
      await listening.close();
    },
  };
};

/** A server in a simulated world that says what the test says: to every command one answer, none, or a hang-up. */
import type { Address, Socket } from '@tessera/contracts';
import type { World } from '@tessera/sim';
import { deserialize, serialize } from 'bson';
import type { Document } from 'bson';

/** What one connection knows of itself; a test may keep more in it. Answers go to the request `answers`, if a test sets that. */
export interface Peer extends Record<string, unknown> {
  readonly id: number;
}

/** An answer that comes later is a promise of it. */
export type Play = (command: Document, peer: Peer) => Document | Promise<Document> | 'silence' | 'hang up';

export interface ScriptedServer {
  /** Every command, in the order in which they came. */
  readonly asked: readonly Document[];
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

/** Heartbeats and handshakes. */
export const isHello = (command: Document): boolean => /^(?:hello|ismaster)$/i.test(Object.keys(command)[0]!);

const HEADER = 16;
const BODY = 21;
/** Of a request: it wants no answer. */
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

/** Reads the bodies of OP_MSG; document sequences are passed over. */
const attend = (socket: Socket, peer: Peer, asked: Document[], play: Play): void => {
  let bytes = Buffer.alloc(0);
  let room = new Uint8Array(0);
  const answer = (): void => {
    while (bytes.length >= HEADER && bytes.length >= bytes.readInt32LE(0)) {
      const [length, id] = [bytes.readInt32LE(0), bytes.readInt32LE(4)];
      const isAnswered = (bytes.readInt32LE(HEADER) & MORE_TO_COME) === 0;
      const command = deserialize(bytes.subarray(BODY, BODY + bytes.readInt32LE(BODY)));
      bytes = bytes.subarray(length);
      asked.push(command);
      const reply = play(command, peer);
      if (reply === 'hang up') return socket.destroy();
      if (reply === 'silence' || !isAnswered) continue;
      const send = (said: Document): unknown =>
        socket.write(opMsg({ ok: 1, ...said }, (peer['answers'] as number | undefined) ?? id));
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

export const scriptServer = async (world: World, address: Address, play: Play): Promise<ScriptedServer> => {
  const asked: Document[] = [];
  const open: Socket[] = [];
  const { listener } = world.at(address.replace(/:\d+$/, ''));
  const listening = await listener.listen(address, socket => {
    open.push(socket);
    attend(socket, { id: open.length }, asked, play);
  });
  return {
    asked,
    close: async () => {
      for (const socket of open) socket.destroy();
      await listening.close();
    },
  };
};

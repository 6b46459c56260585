/** The server against which connections are tested. It reads frames and replies as a case says. */
import type { Document, Listener, Listening, Socket, WireCodec } from '@tessera/contracts';
import { helloDocument } from '../scripted-servers.js';
import { atOnce, changed, later } from '../wire-suite/compressors.js';

/** A command that the server received. */
export interface Asked {
  readonly id: number;
  /** The compressor's id, or undefined if the message was not compressed. */
  readonly compressor: number | undefined;
  /** The flags of OP_MSG. */
  readonly flags: number;
  readonly command: Document;
  /** Replies to the command, compressed like it. `more` announces another reply. */
  readonly reply: (document: Document, more?: boolean) => void;
  /** Sends these bytes, closes the connection in order, or resets it. */
  readonly send: (bytes: Uint8Array) => void;
  readonly hangUp: () => void;
}

export interface FrameServer {
  /** Every command, oldest first. */
  readonly asked: readonly Asked[];
  /** The names of the commands. */
  readonly names: readonly string[];
  /** The number of open connections. */
  readonly open: number;
  /** The reply to hello. */
  hello: Document;
  /** Called with each hello. By default it replies with `hello`. */
  greet: (asked: Asked) => void;
  /** Called with each other command. By default it replies with `{ ok: 1 }`. */
  serve: (asked: Asked) => void;
}

const nameOf = ({ command }: Asked): string => Object.keys(command)[0] ?? '';
const isHello = (name: string): boolean => ['hello', 'ismaster'].includes(name.toLowerCase());
const int32At = (bytes: Uint8Array, at: number): number =>
  new DataView(bytes.buffer, bytes.byteOffset).getInt32(at, true);

/** Returns the frame in an OP_COMPRESSED message. */
const opened = (frame: Uint8Array): Uint8Array => {
  const plain = new Uint8Array(frame.length - 9);
  plain.set(frame.subarray(0, 16));
  plain.set(changed(frame.subarray(25)), 16);
  const view = new DataView(plain.buffer);
  view.setInt32(0, plain.length, true);
  view.setInt32(12, int32At(frame, 16), true);
  return plain;
};

/** Listens at the address, and reads and writes frames with this codec. */
export const serveFrames = async (
  listener: Listener,
  address: string,
  wire: WireCodec,
): Promise<{ readonly server: FrameServer; readonly listening: Listening }> => {
  const asked: Asked[] = [];
  let replyId = 1000;
  let open = 0;

  const read = (socket: Socket, frame: Uint8Array): Asked => {
    const isCompressed = int32At(frame, 12) === 2012;
    const compressor = isCompressed ? frame[24] : undefined;
    const plain = isCompressed ? opened(frame) : frame;
    const id = int32At(frame, 4);
    let to = id;
    const reply = async (document: Document, more: boolean): Promise<void> => {
      const answer = more ? 'none' : 'one';
      const frame = wire.write(++replyId, { db: '', name: '', answer, body: writer => writer.fields(document) });
      const sent = Uint8Array.from(frame);
      new DataView(sent.buffer).setInt32(8, to, true);
      to = replyId;
      const known = [atOnce, later].find(({ id: own }) => own === compressor);
      socket.write(known === undefined ? sent : await wire.compress(sent, known));
    };
    return {
      ...{ id, compressor, flags: int32At(plain, 16), command: wire.document(plain) },
      reply: (document, more = false) => void reply(document, more),
      send: bytes => void socket.write(bytes),
      hangUp: () => socket.end(),
    };
  };

  const server = {
    asked,
    get names() {
      return asked.map(nameOf);
    },
    get open() {
      return open;
    },
    hello: helloDocument({ connectionId: 77 }),
    greet: (one: Asked): void => one.reply(server.hello),
    serve: (one: Asked): void => one.reply({ ok: 1 }),
  };

  const listening = await listener.listen(address, socket => {
    let bytes = new Uint8Array(0);
    let room = bytes;
    open += 1;
    socket.listen({
      room: () => (room = new Uint8Array(1000)),
      filled: length => {
        const longer = new Uint8Array(bytes.length + length);
        longer.set(bytes);
        longer.set(room.subarray(0, length), bytes.length);
        bytes = longer;
        while (bytes.length >= 16 && bytes.length >= int32At(bytes, 0)) {
          const end = int32At(bytes, 0);
          const one = read(socket, bytes.slice(0, end));
          bytes = bytes.slice(end);
          asked.push(one);
          if (isHello(nameOf(one))) server.greet(one);
          else server.serve(one);
        }
      },
      drained: () => undefined,
      closed: () => void (open -= 1),
    });
  });
  return { server, listening };
};

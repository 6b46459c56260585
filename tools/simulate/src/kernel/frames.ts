/** Reads and writes OP_MSG frames as a server does. */
import type { Address, Document, SocketSink, WireCodec } from '@tessera/contracts';

const header = 16;
const moreToCome = 2;
const exhaustAllowed = 1 << 16;

export const hostOf = (address: Address): string => address.slice(0, address.lastIndexOf(':'));

/** Cuts the stream of one connection into frames. */
export const cutFrames = (received: (frame: Uint8Array) => void): Pick<SocketSink, 'room' | 'filled'> => {
  let bytes = new Uint8Array(4096);
  let have = 0;
  return {
    room: () => {
      if (have === bytes.length) {
        const longer = new Uint8Array(bytes.length * 2);
        longer.set(bytes);
        bytes = longer;
      }
      return bytes.subarray(have);
    },
    filled: length => {
      have += length;
      let at = 0;
      while (have - at >= header) {
        const size = new DataView(bytes.buffer, at).getInt32(0, true);
        if (size > have - at) break;
        received(bytes.slice(at, at + size));
        at += size;
      }
      bytes.copyWithin(0, at, have);
      have -= at;
    },
  };
};

/** Delivers bytes to a sink as if they had arrived from the network. */
export const handOn = (sink: SocketSink, bytes: Uint8Array): void => {
  for (let at = 0; at < bytes.length;) {
    const room = sink.room();
    const length = Math.min(room.length, bytes.length - at);
    room.set(bytes.subarray(at, at + length));
    sink.filled(length);
    at += length;
  }
};

/** A command that a server received. */
export interface ReceivedCommand {
  readonly requestId: number;
  readonly command: Document;
  /** Whether the server may send further replies. */
  readonly exhaust: boolean;
  /** Whether the client expects no reply. */
  readonly unanswered: boolean;
}

/** Cuts the stream of one connection into commands. */
export const createRequestReader = (
  wire: WireCodec,
  received: (command: ReceivedCommand) => void,
  closed: () => void,
): SocketSink => {
  const frames = cutFrames(frame => {
    const view = new DataView(frame.buffer, frame.byteOffset);
    const flags = view.getInt32(header, true);
    received({
      requestId: view.getInt32(4, true),
      command: wire.document(frame),
      exhaust: (flags & exhaustAllowed) !== 0,
      unanswered: (flags & moreToCome) !== 0,
    });
  });
  return { ...frames, drained: () => undefined, closed };
};

/** Encodes a reply as one frame. */
export const replyFrame = (
  wire: WireCodec,
  ids: { readonly id: number; readonly to: number; readonly more: boolean },
  document: Document,
): Uint8Array => {
  const frame = wire.write(ids.id, { db: '', name: '', answer: 'one', body: writer => writer.fields(document) });
  const view = new DataView(frame.buffer, frame.byteOffset, frame.length);
  view.setInt32(8, ids.to, true);
  view.setInt32(header, ids.more ? moreToCome : 0, true);
  return frame;
};

/** Commands out of bytes and replies into bytes: the server's side of OP_MSG, with the driver's own codec. */
import type { Document, Message, SocketSink, WireCodec } from '@tessera/contracts';

const header = 16;
const moreToCome = 2;
const exhaustAllowed = 1 << 16;

export interface Asked {
  readonly requestId: number;
  readonly command: Document;
  /** The server may go on answering. */
  readonly exhaust: boolean;
  readonly unanswered: boolean;
}

/** Cuts the stream of one connection into commands. */
export const createRequestReader = (wire: WireCodec, heard: (asked: Asked) => void, closed: () => void): SocketSink => {
  let bytes = new Uint8Array(4096);
  let have = 0;

  const readAll = (): void => {
    let at = 0;
    while (have - at >= header) {
      const view = new DataView(bytes.buffer, at, have - at);
      const length = view.getInt32(0, true);
      if (length > have - at) break;
      const flags = view.getInt32(header, true);
      const frame = bytes.slice(at, at + length);
      at += length;
      heard({
        requestId: view.getInt32(4, true),
        command: wire.document(frame),
        exhaust: (flags & exhaustAllowed) !== 0,
        unanswered: (flags & moreToCome) !== 0,
      });
    }
    bytes.copyWithin(0, at, have);
    have -= at;
  };

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
      readAll();
    },
    drained: () => undefined,
    closed,
  };
};

/** One reply as a frame. */
export const replyFrame = (
  wire: WireCodec,
  ids: { readonly id: number; readonly to: number; readonly more: boolean },
  document: Document,
): Uint8Array => {
  const message: Message = {
    db: '',
    name: '',
    operationId: 0,
    answer: 'one',
    body: writer => {
      writer.fields(document);
    },
    reply: () => undefined,
    end: () => undefined,
    fail: () => undefined,
  };
  const frame = wire.write(ids.id, message);
  const view = new DataView(frame.buffer, frame.byteOffset, frame.length);
  view.setInt32(8, ids.to, true);
  view.setInt32(header, ids.more ? moreToCome : 0, true);
  return frame;
};

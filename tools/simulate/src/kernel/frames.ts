/** Commands out of bytes and replies into bytes: the server's side of OP_MSG, with the driver's own codec. */
import type { Document, Message, SocketSink, WireCodec } from '@tessera/contracts';
import { cutFrames } from './sockets.js';

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
  const frames = cutFrames(frame => {
    const view = new DataView(frame.buffer, frame.byteOffset);
    const flags = view.getInt32(header, true);
    heard({
      requestId: view.getInt32(4, true),
      command: wire.document(frame),
      exhaust: (flags & exhaustAllowed) !== 0,
      unanswered: (flags & moreToCome) !== 0,
    });
  });
  return { ...frames, drained: () => undefined, closed };
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

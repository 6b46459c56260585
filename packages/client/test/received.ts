/** Records the bytes and messages that clients sent to a server. */
import type { Runtime } from '@tessera/contracts';
import { deserialize } from 'bson';
import type { Document } from 'bson';
import { writing } from './with-servers.js';

/** The bytes of each accepted socket, in the chunks in which they arrived. */
export type Received = Buffer[][];

/** Returns a runtime whose listener copies the bytes of each accepted socket to `received`. */
export const receiving = (runtime: Runtime, received: Received): Runtime => ({
  ...runtime,
  listener: {
    listen: (at, accept) =>
      runtime.listener.listen(at, socket => {
        const pieces: Buffer[] = [];
        received.push(pieces);
        let room: Uint8Array = new Uint8Array(0);
        accept({
          ...writing(socket, bytes => socket.write(bytes)),
          listen: sink => {
            socket.listen({
              room: () => (room = sink.room()),
              filled: length => {
                pieces.push(Buffer.from(room.subarray(0, length)));
                sink.filled(length);
              },
              drained: () => {
                sink.drained();
              },
              closed: cause => {
                sink.closed(cause);
              },
            });
          },
        });
      }),
  },
});

/** A message: its opcode, its section of kind 0, and its sections of kind 1 by identifier. */
export interface ReceivedMessage {
  readonly opCode: number;
  readonly body: Document;
  readonly sequences: Readonly<Record<string, readonly Document[]>>;
}

const HEADER = 16;
const OP_MSG = 2013;

const documentsIn = (bytes: Buffer): readonly Document[] => {
  const documents: Document[] = [];
  for (let at = 0; at < bytes.length; at += bytes.readInt32LE(at))
    documents.push(deserialize(bytes.subarray(at, at + bytes.readInt32LE(at))));
  return documents;
};

const messageIn = (frame: Buffer): ReceivedMessage => {
  const opCode = frame.readInt32LE(12);
  const sequences: Record<string, readonly Document[]> = {};
  let body: Document = {};
  if (opCode !== OP_MSG) return { opCode, body, sequences };
  for (let at = HEADER + 4; at < frame.length;) {
    const kind = frame[at];
    const section = frame.subarray(at + 1, at + 1 + frame.readInt32LE(at + 1));
    if (kind === 0) body = deserialize(section);
    else {
      const end = section.indexOf(0, 4);
      sequences[section.toString('utf8', 4, end)] = documentsIn(section.subarray(end + 1));
    }
    at += 1 + section.length;
  }
  return { opCode, body, sequences };
};

/** Returns the messages of all sockets, socket by socket. */
export const messagesIn = (received: Received): readonly ReceivedMessage[] =>
  received.flatMap(pieces => {
    const bytes = Buffer.concat(pieces);
    const messages: ReceivedMessage[] = [];
    for (let at = 0; at < bytes.length; at += bytes.readInt32LE(at))
      messages.push(messageIn(bytes.subarray(at, at + bytes.readInt32LE(at))));
    return messages;
  });

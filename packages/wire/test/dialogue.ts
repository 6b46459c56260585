/** Builds messages through the codec, and frames by hand from the tables of the specification. */
import { serialize } from 'bson';
import type { BsonCodec, Compressor, Document, Message, WireCodec } from '@tessera/contracts';
import { createWire } from '@tessera/wire';
import { npmCodec } from './npm-codec.js';

export const wireOf = (compressors: readonly Compressor[] = [], bson: BsonCodec = npmCodec): WireCodec =>
  createWire({ bson, compressors });

export const message = (
  command: Document,
  sequences: Readonly<Record<string, readonly Document[]>> = {},
  answer: Message['answer'] = 'one',
): Message => ({
  db: 'test',
  name: Object.keys(command)[0]!,
  operationId: 1,
  answer,
  body: writer => {
    writer.fields(command);
  },
  sections: writer => {
    for (const [name, documents] of Object.entries(sequences)) {
      writer.section(name);
      for (const document of documents) writer.document(document);
    }
  },
  reply: () => undefined,
  end: () => undefined,
  fail: () => undefined,
});

export const int32 = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, i) => bytes.writeInt32LE(value | 0, 4 * i));
  return bytes;
};

/** A frame: a header and its content. */
export const frame = (
  opCode: number,
  content: Uint8Array,
  { id = 7, responseTo = 42, length = 16 + content.length } = {},
): Uint8Array => Uint8Array.from(Buffer.concat([int32(length, id, responseTo, opCode), content]));

export const kind0 = (document: Document): Buffer => Buffer.concat([Buffer.from([0]), serialize(document)]);
export const kind1 = (name: string, ...documents: Document[]): Buffer => {
  const content = Buffer.concat([Buffer.from(`${name}\0`), ...documents.map(d => serialize(d))]);
  return Buffer.concat([Buffer.from([1]), int32(4 + content.length), content]);
};
export const opMsg = (
  flags: number,
  sections: Uint8Array,
  header: { id?: number; responseTo?: number } = {},
): Uint8Array => frame(2013, Buffer.concat([int32(flags), sections]), header);
export const opCompressed = (
  content: Uint8Array,
  { opCode = 2013, size = content.length, compressor = 0, id = 7, responseTo = 42 } = {},
): Uint8Array =>
  frame(2012, Buffer.concat([int32(opCode, size), Buffer.from([compressor]), content]), { id, responseTo });

export interface Received {
  readonly responseTo: number;
  readonly document: Document;
  readonly more: boolean;
  readonly id: number;
}

/** A reader and what it received. `send` splits the stream wherever the reader's room ends. */
export const listening = (wire: WireCodec, readsAhead = false) => {
  const received: Received[] = [];
  const failures: unknown[] = [];
  const reader = wire.reader({
    readsAhead,
    take: (responseTo, reply, more, id) => {
      received.push({ responseTo, document: reply.document(), more, id });
    },
    failed: cause => failures.push(cause),
  });
  const send = (bytes: Uint8Array, most = Infinity): void => {
    for (let at = 0; at < bytes.length;) {
      const room = reader.room();
      const length = Math.min(room.length, bytes.length - at, most);
      room.set(bytes.subarray(at, at + length));
      reader.filled(length);
      at += length;
    }
  };
  return { received, failures, reader, send };
};

import { serialize } from 'bson';
import type { Document } from 'bson';
import { deflateSync, inflateSync } from 'node:zlib';
import type { Node } from './bson/node.js';
import { readNodes, writeNodes } from './bson/node.js';

export const opMsg = 2013;
export const opQuery = 2004;
export const opCompressed = 2012;

export type Section =
  | { readonly kind: number; readonly nodes: readonly Node[] }
  | { readonly kind: number; readonly name: string; readonly documents: readonly (readonly Node[])[] };

/** A decoded request. */
export interface Message {
  readonly requestId: number;
  readonly opCode: number;
  readonly flags: number;
  readonly sections: readonly Section[];
  /** Whether the message is sent as an OP_COMPRESSED message with zlib. */
  readonly compressed: boolean;
}

/** Returns the message in an OP_COMPRESSED frame, and any other frame unchanged. */
export const unwrap = (frame: Buffer): Buffer => {
  if (frame.readInt32LE(12) !== opCompressed) return frame;
  const content = frame[24] === 2 ? inflateSync(frame.subarray(25)) : frame.subarray(25);
  return frameOf(frame.readInt32LE(4), frame.readInt32LE(16), content);
};

const readSequence = (frame: Buffer, start: number, end: number): Section => {
  const nameEnd = frame.indexOf(0, start + 4);
  const documents: Node[][] = [];
  for (let at = nameEnd + 1; at < end; at += frame.readInt32LE(at)) documents.push(readNodes(frame, at));
  return { kind: 1, name: frame.toString('utf8', start + 4, nameEnd), documents };
};

/** Decodes a recorded OP_MSG, even a compressed one. Returns undefined for other messages. */
export const readMessage = (recorded: Buffer): Message | undefined => {
  const frame = unwrap(recorded);
  if (frame.readInt32LE(12) !== opMsg) return undefined;
  const sections: Section[] = [];
  for (let at = 20; at < frame.length;) {
    const kind = frame[at]!;
    const size = frame.readInt32LE(at + 1);
    sections.push(kind === 0 ? { kind, nodes: readNodes(frame, at + 1) } : readSequence(frame, at + 1, at + 1 + size));
    at += 1 + size;
  }
  return {
    requestId: frame.readInt32LE(4),
    opCode: opMsg,
    flags: frame.readInt32LE(16),
    sections,
    compressed: frame !== recorded,
  };
};

const sectionBytes = (section: Section): Buffer => {
  if ('nodes' in section) return Buffer.concat([Buffer.from([section.kind]), writeNodes(section.nodes)]);
  const content = Buffer.concat([
    Buffer.from(`${section.name}\0`, 'utf8'),
    ...section.documents.map(nodes => writeNodes(nodes)),
  ]);
  const head = Buffer.alloc(5);
  head[0] = section.kind;
  head.writeInt32LE(content.length + 4, 1);
  return Buffer.concat([head, content]);
};

export const frameOf = (requestId: number, opCode: number, content: Uint8Array): Buffer => {
  const frame = Buffer.alloc(16 + content.length);
  frame.writeInt32LE(frame.length, 0);
  frame.writeInt32LE(requestId | 0, 4);
  frame.writeInt32LE(opCode, 12);
  frame.set(content, 16);
  return frame;
};

/** Wraps a frame in OP_COMPRESSED. `announced` and `compressor` may be wrong. */
export const envelope = (
  frame: Buffer,
  { compressor = 2, announced = frame.length - 16 }: { readonly compressor?: number; readonly announced?: number } = {},
): Buffer => {
  const head = Buffer.alloc(9);
  head.writeInt32LE(frame.readInt32LE(12), 0);
  head.writeInt32LE(announced | 0, 4);
  head[8] = compressor;
  const content = frame.subarray(16);
  return frameOf(
    frame.readInt32LE(4),
    opCompressed,
    Buffer.concat([head, compressor === 0 ? content : deflateSync(content, { level: 1 })]),
  );
};

export const writeMessage = ({ requestId, opCode, flags, sections, compressed }: Message): Buffer => {
  const head = Buffer.alloc(4);
  head.writeInt32LE(flags | 0);
  const frame = frameOf(requestId, opCode, Buffer.concat([head, ...sections.map(sectionBytes)]));
  return compressed ? envelope(frame) : frame;
};

/** Returns a command as a message with one section. */
export const messageOf = (requestId: number, nodes: readonly Node[]): Message => ({
  requestId,
  opCode: opMsg,
  flags: 0,
  sections: [{ kind: 0, nodes }],
  compressed: false,
});

/** Returns a command as the frame of a message. */
export const frameOfCommand = (command: Document, database: string): Buffer =>
  frameOf(1, opMsg, Buffer.concat([Buffer.alloc(5), serialize({ ...command, $db: database })]));

import { BSONError, deserialize } from 'bson';
import type { Document, Long } from 'bson';
import type { Node } from './bson/node.js';
import { isContainer, readNodes, writeNodes } from './bson/node.js';
import { opMsg, unwrap } from './message.js';
import type { Violation } from './target.js';

const opReply = 1;

const bad = (what: string): Violation => ({ kind: 'reply', what });

const startOf = (frame: Buffer): number | undefined => {
  const opCode = frame.readInt32LE(12);
  if (opCode === opReply) return 36;
  return opCode === opMsg && frame[20] === 0 ? 21 : undefined;
};

const regex = 11;

const withoutOptions = (nodes: readonly Node[]): Node[] =>
  nodes.map(node => {
    if (isContainer(node.value)) return { ...node, value: withoutOptions(node.value) };
    if (node.type !== regex) return node;
    const pattern = Buffer.from(node.value);
    return { ...node, value: Buffer.concat([pattern.subarray(0, pattern.indexOf(0) + 1), Buffer.of(0)]) };
  });

const read = (bytes: Buffer): Document =>
  deserialize(bytes, { promoteValues: false, promoteLongs: false, bsonRegExp: true });

/**
 * Decodes a document. Regular expressions are returned with the options that the client sent, even if this decoder
 * rejects them.
 */
const readLeniently = (bytes: Buffer): Document => {
  try {
    return read(bytes);
  } catch (error) {
    if (!(error instanceof BSONError && error.message.includes('regular expression option'))) throw error;
    return read(writeNodes(withoutOptions(readNodes(bytes, 0))));
  }
};

/**
 * Decodes the document of a reply.
 * @throws RangeError, BSONError or an error of zlib if the reply is invalid
 */
export const documentOf = (reply: Buffer): Document => {
  const frame = unwrap(reply);
  const start = startOf(frame);
  if (start === undefined)
    throw new RangeError(`The reply has opcode ${frame.readInt32LE(12)} and section ${frame[20]}.`);
  const end = start + frame.readInt32LE(start);
  const checksum = frame.readInt32LE(12) === opMsg && (frame.readInt32LE(16) & 1) !== 0 ? 4 : 0;
  if (end + checksum !== frame.length)
    throw new RangeError(`The reply has a document up to ${end} in a frame of ${frame.length} bytes.`);
  return readLeniently(frame.subarray(start, end));
};

const numberOf = (value: unknown): number => Number(String(value));

/** Returns the violation of an invalid reply, or undefined. */
export const judgeReply = (reply: Buffer): Violation | undefined => {
  let document: Document;
  try {
    document = documentOf(reply);
  } catch (error) {
    return bad(`The reply cannot be decoded: ${String(error)}; ${reply.subarray(0, 200).toString('hex')}`);
  }
  const errmsg = String(document['errmsg'] ?? '');
  if (errmsg.startsWith('Internal server error')) return { kind: 'defect', what: errmsg };
  if (!('ok' in document) && !('$err' in document))
    return bad(`The reply has no ok: ${JSON.stringify(Object.keys(document))}`);
  const failed = numberOf(document['ok'] ?? 0) !== 1;
  if (failed && typeof document['errmsg'] !== 'string' && !('$err' in document)) return bad('The error has no errmsg');
  return failed && !Number.isInteger(numberOf(document['code'])) ? bad('The error has no code') : undefined;
};

/** Returns the id of the cursor that a reply leaves open. */
export const cursorOf = (reply: Buffer): bigint | undefined => {
  try {
    const id = (documentOf(reply)['cursor'] as Document | undefined)?.['id'] as Long | undefined;
    const value = id?.toBigInt() ?? 0n;
    return value === 0n ? undefined : value;
  } catch {
    return undefined;
  }
};

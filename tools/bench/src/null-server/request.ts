import { deserialize } from 'bson';
import type { Document } from '../documents/varied.js';

const opQuery = 2004;

/** What of a request decides on its reply. */
export interface Request {
  readonly id: number;
  /** By OP_QUERY, which a driver's first hello may use. */
  readonly legacy: boolean;
  readonly command: string;
  /** The collection, or whatever string the command's first field holds. */
  readonly target: string;
  /** The cursor of a getMore. */
  readonly cursor: bigint;
  /** moreToCome: nobody waits for a reply. */
  readonly silent: boolean;
}

/** Where the body of an OP_MSG starts: behind header, flags and the kind of the section. */
const bodyOffset = 21;

const keyEnd = (frame: Buffer, from: number): number => frame.indexOf(0, from);

/** Reads the first field of the command only. Rule: OP_MSG; the body is the first section. */
export const readRequest = (frame: Buffer): Request => {
  const id = frame.readInt32LE(4);
  if (frame.readInt32LE(12) === opQuery) {
    return { id, legacy: true, command: 'hello', target: '', cursor: 0n, silent: false };
  }
  const type = frame[bodyOffset + 4];
  const end = keyEnd(frame, bodyOffset + 5);
  const value = end + 1;
  const command = frame.toString('latin1', bodyOffset + 5, end);
  const target = type === 2 ? frame.toString('utf8', value + 4, value + 3 + frame.readInt32LE(value)) : '';
  const cursor = command === 'getMore' ? frame.readBigInt64LE(value) : 0n;
  return { id, legacy: false, command, target, cursor, silent: (frame[16]! & 2) !== 0 };
};

/** The whole command of an OP_MSG, its document sequences as arrays. */
export const readCommand = (frame: Buffer): Document => {
  const end = frame.length - ((frame[16]! & 1) === 0 ? 0 : 4);
  const bodyEnd = bodyOffset + frame.readInt32LE(bodyOffset);
  const command = deserialize(frame.subarray(bodyOffset, bodyEnd));
  for (let at = bodyEnd; at < end;) {
    const sectionEnd = at + 1 + frame.readInt32LE(at + 1);
    const nameEnd = keyEnd(frame, at + 5);
    const documents: Document[] = [];
    for (let from = nameEnd + 1; from < sectionEnd; from += frame.readInt32LE(from)) {
      documents.push(deserialize(frame.subarray(from, from + frame.readInt32LE(from))));
    }
    command[frame.toString('latin1', at + 5, nameEnd)] = documents;
    at = sectionEnd;
  }
  return command;
};

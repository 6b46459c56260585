import { deserialize } from 'bson';
import type { Document } from '../documents/varied.js';

const opQuery = 2004;

/** The parts of a request that determine its reply. */
export interface Request {
  readonly id: number;
  /** The request is an OP_QUERY, which a driver may use for the first hello. */
  readonly legacy: boolean;
  readonly command: string;
  /** The value of the command's first field if it is a string, usually the collection. */
  readonly target: string;
  /** The cursor id of a getMore. */
  readonly cursor: bigint;
  /** The flag moreToCome is set: the client expects no reply. */
  readonly silent: boolean;
}

/** The offset of the body in an OP_MSG: after the header, the flags and the section kind. */
const bodyOffset = 21;

const keyEnd = (frame: Buffer, from: number): number => frame.indexOf(0, from);

/** Reads a request. It parses only the first field of the command. Rule: OP_MSG; the body must be the first section. */
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

/** Reads the whole command of an OP_MSG. Document sequences become arrays. */
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

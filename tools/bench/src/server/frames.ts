import { serialize } from 'bson';
import type { Document } from 'bson';

const headerSize = 16;
const msg = 2013;

/** Encodes a command as an OP_MSG with a body section. */
export const frameOf = (command: Document): Buffer => {
  const body = serialize(command);
  const frame = Buffer.alloc(headerSize + 5 + body.length);
  frame.writeInt32LE(frame.length, 0);
  frame.writeInt32LE(msg, 12);
  frame.set(body, headerSize + 5);
  return frame;
};

/** The offset of the document in a reply: after the header, the flags and the section kind. */
export const replyStart: number = headerSize + 5;

/**
 * Returns a function that creates frames which differ only in one number. The command is encoded once, so that the
 * client needs
 * almost no CPU time.
 * @param make returns the command with the number, which must fit into an int32
 */
export const changing = (make: (number: number) => Document): ((number: number) => Buffer) => {
  // Two numbers that differ in every byte reveal the offset.
  const frame = frameOf(make(0x11223344));
  const other = frameOf(make(0x55667708));
  const places: number[] = [];
  for (let at = 0; at < frame.length; at++) if (frame[at] !== other[at]) places.push(at);
  const [at] = places;
  if (at === undefined || places.length !== 4)
    throw new RangeError('The command must contain the number exactly once.');
  return number => {
    const copy = Buffer.from(frame);
    copy.writeInt32LE(number, at);
    return copy;
  };
};

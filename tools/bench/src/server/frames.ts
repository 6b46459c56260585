import { serialize } from 'bson';
import type { Document } from 'bson';

const headerSize = 16;
const msg = 2013;

/** A command as a whole OP_MSG, its only section the body. */
export const frameOf = (command: Document): Buffer => {
  const body = serialize(command);
  const frame = Buffer.alloc(headerSize + 5 + body.length);
  frame.writeInt32LE(frame.length, 0);
  frame.writeInt32LE(msg, 12);
  frame.set(body, headerSize + 5);
  return frame;
};

/** Where the document of a reply's OP_MSG begins: behind its flags and the kind of its only section. */
export const replyStart: number = headerSize + 5;

/**
 * A frame in which one number changes: made once, so that the client's own work is next to nothing.
 * @param make the command with that number in it, which must fit into an int32
 */
export const changing = (make: (number: number) => Document): ((number: number) => Buffer) => {
  // Two numbers that differ in every byte show where it stands.
  const frame = frameOf(make(0x11223344));
  const other = frameOf(make(0x55667708));
  const places: number[] = [];
  for (let at = 0; at < frame.length; at++) if (frame[at] !== other[at]) places.push(at);
  const [at] = places;
  if (at === undefined || places.length !== 4) throw new RangeError('The number must stand in the command once');
  return number => {
    const copy = Buffer.from(frame);
    copy.writeInt32LE(number, at);
    return copy;
  };
};

import type { Clock, ObjectId, Random } from '@tessera/contracts';
import { objectIdAt } from './values.js';

/** Where the seconds, the random value and the start of the counter come from. */
export interface ObjectIdDeps {
  readonly clock: Pick<Clock, 'wallTime'>;
  readonly random: Pick<Random, 'bytes'>;
}

/**
 * A source of new ObjectIds: 4 bytes of seconds since 1970 (unsigned), 5 bytes drawn once, 3 bytes of a counter that
 * starts anywhere and wraps. Make one per process; a process made by cloning another has to make its own.
 * Rule: BSON ObjectID, "Specification".
 */
export const createObjectIds = ({ clock, random }: ObjectIdDeps): (() => ObjectId) => {
  const bytes = new Uint8Array(12);
  const numbers = new DataView(bytes.buffer);
  const drawn = random.bytes(8);
  bytes.set(drawn.subarray(0, 5), 4);
  let counter = (drawn[5]! << 16) | (drawn[6]! << 8) | drawn[7]!;
  return () => {
    numbers.setUint32(0, Math.floor(clock.wallTime() / 1000));
    bytes[9] = counter >>> 16;
    bytes[10] = counter >>> 8;
    bytes[11] = counter;
    counter = (counter + 1) & 0xffffff;
    return objectIdAt(bytes, 0);
  };
};

import type { Clock, ObjectId, Random } from '@tessera/contracts';
import { objectIdAt } from './values.js';

/** The sources of the seconds, of the random value and of the counter's start. */
export interface ObjectIdDeps {
  readonly clock: Pick<Clock, 'wallTime'>;
  readonly random: Pick<Random, 'bytes' | 'onCopied'>;
}

/** Returns a new ObjectId. */
export interface NewObjectId {
  (): ObjectId;
  /** Returns a function that makes ids of the current second. It reads the clock only once for all of them. */
  readonly many: () => () => ObjectId;
}

/**
 * Creates a source of new ObjectIds: 4 bytes of seconds since 1970 (unsigned), 5 random bytes, and a 3-byte counter
 * with a random start that wraps. Create one per process. The random values are drawn at the first id. They are drawn
 * again when `random.onCopied` reports that the process was copied, so that two processes never share the 5 bytes.
 * Rule: BSON ObjectID, "Specification".
 */
export const createObjectIds = ({ clock, random }: ObjectIdDeps): NewObjectId => {
  const bytes = new Uint8Array(12);
  const numbers = new DataView(bytes.buffer);
  /** Negative until it is drawn. */
  let counter = -1;
  random.onCopied?.(() => (counter = -1));
  const draw = (): void => {
    const drawn = random.bytes(8);
    bytes.set(drawn.subarray(0, 5), 4);
    counter = (drawn[5]! << 16) | (drawn[6]! << 8) | drawn[7]!;
  };
  const seconds = (): number => Math.floor(clock.wallTime() / 1000);
  const idOf = (second: number): ObjectId => {
    if (counter < 0) draw();
    numbers.setUint32(0, second);
    bytes[9] = counter >>> 16;
    bytes[10] = counter >>> 8;
    bytes[11] = counter;
    counter = (counter + 1) & 0xffffff;
    return objectIdAt(bytes, 0);
  };
  const many = (): (() => ObjectId) => {
    const second = seconds();
    return () => idOf(second);
  };
  return Object.assign(() => idOf(seconds()), { many });
};

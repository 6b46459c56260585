import { ObjectId } from 'bson';

/** The value classes of npm `bson`, so that `instanceof` works across an application. */
export {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Code,
  DBRef,
  Decimal128,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
  UUID,
} from 'bson';

/**
 * The ObjectId constructor of npm `bson` 7.3 and later, which reads from a buffer without a copy. Earlier 7.x versions
 * take exactly twelve bytes.
 */
const InPlace = ObjectId as unknown as new (bytes: Uint8Array, at: number) => ObjectId;

const readsInPlace = ((): boolean => {
  const bytes = new Uint8Array(13).map((_, i) => i);
  try {
    return new InPlace(bytes, 1).toHexString() === '0102030405060708090a0b0c';
  } catch {
    return false;
  }
})();

/** Reads the ObjectId at this offset. It keeps no reference to the bytes. */
export const objectIdAt: (bytes: Uint8Array, at: number) => ObjectId = readsInPlace
  ? (bytes, at) => new InPlace(bytes, at)
  : (bytes, at) => new ObjectId(bytes.slice(at, at + 12));

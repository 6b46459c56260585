import { ObjectId } from 'bson';

/** The value classes: those of npm `bson`, so that `instanceof` holds across an application. */
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

/** npm `bson` from 7.3 on reads an ObjectId where it lies, without a copy; older ones of major 7 take twelve bytes. */
const InPlace = ObjectId as unknown as new (bytes: Uint8Array, at: number) => ObjectId;

const readsInPlace = ((): boolean => {
  const bytes = new Uint8Array(13).map((_, i) => i);
  try {
    return new InPlace(bytes, 1).toHexString() === '0102030405060708090a0b0c';
  } catch {
    return false;
  }
})();

/** The ObjectId that lies there; it keeps no reference to the bytes. */
export const objectIdAt: (bytes: Uint8Array, at: number) => ObjectId = readsInPlace
  ? (bytes, at) => new InPlace(bytes, at)
  : (bytes, at) => new ObjectId(bytes.slice(at, at + 12));

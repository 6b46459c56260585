import { corruption } from '../corruption.js';
import { bytes, numbers } from './memory.js';

/** Returns the end of the key that starts at this offset: the offset of its NUL. */
export const keyEnd = (at: number, limit: number, base: number): number => {
  let end = at;
  while (end < limit && bytes[end] !== 0) end++;
  if (end >= limit) throw corruption(at - base, 'a key without a terminator');
  return end;
};

const length = (at: number, limit: number, base: number): number => {
  if (at + 4 > limit) throw corruption(at - base, 'a truncated length');
  return numbers.getInt32(at, true);
};

const text = (at: number, limit: number, base: number): number => {
  const size = length(at, limit, base);
  if (size < 1 || size > limit - at - 4)
    throw corruption(at - base, `an invalid string length of ${String(size)} bytes`);
  return at + 4 + size;
};

const nested = (at: number, limit: number, base: number, smallest: number): number => {
  const size = length(at, limit, base);
  if (size < smallest || size > limit - at) throw corruption(at - base, `an invalid length of ${String(size)} bytes`);
  return at + size;
};

/**
 * Returns where the value that starts at this offset ends, by its type and lengths, without checking its content.
 * @param limit where the document's elements end: the offset of its terminator
 * @param base where the document starts; error offsets count from there
 * @throws MongoError `protocol` for an unknown type or a length that does not fit
 */
export const valueEnd = (type: number, at: number, limit: number, base: number): number => {
  let end = at;
  switch (type) {
    case 1: // double
    case 9: // date
    case 17: // timestamp
    case 18: // int64
      end += 8;
      break;
    case 16: // int32
      end += 4;
      break;
    case 8: // boolean
      end += 1;
      break;
    case 7: // ObjectId
      end += 12;
      break;
    case 19: // decimal128
      end += 16;
      break;
    case 6: // undefined
    case 10: // null
    case 127: // MaxKey
    case 255: // MinKey
      break;
    case 2: // string
    case 13: // code
    case 14: // symbol
      return text(at, limit, base);
    case 3: // document
    case 4: // array
      return nested(at, limit, base, 5);
    case 15: // code with scope
      return nested(at, limit, base, 14);
    case 5: {
      // binary
      const size = length(at, limit, base);
      if (size < 0 || size > limit - at - 5)
        throw corruption(at - base, `an invalid binary length of ${String(size)} bytes`);
      return at + 5 + size;
    }
    case 11: // regular expression
      return keyEnd(keyEnd(at, limit, base) + 1, limit, base) + 1;
    case 12: // DBPointer
      end = text(at, limit, base) + 12;
      break;
    default:
      throw corruption(at - base, `an unknown element type ${String(type)}`);
  }
  if (end > limit) throw corruption(at - base, 'a truncated value');
  return end;
};

/**
 * Returns the size of the document between two offsets. @throws MongoError `protocol` unless the document fills the
 * range exactly.
 */
export const checkedSize = (start: number, end: number, base: number): number => {
  if (end - start < 5) throw corruption(start - base, `a document of ${String(end - start)} bytes`);
  const size = numbers.getInt32(start, true);
  if (size !== end - start) {
    throw corruption(
      start - base,
      `a document whose length field is ${String(size)} instead of ${String(end - start)}`,
    );
  }
  if (bytes[end - 1] !== 0) throw corruption(end - 1 - base, 'a document without a terminator');
  return size;
};

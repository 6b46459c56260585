import { MongoError, type Raw } from '@tessera/contracts';
import { corruption } from '../corruption.js';
import type { DecodeOptions } from '../options.js';

/** The bytes of the one document that is meant. @throws MongoError `usage`, or `protocol` if they are not all there. */
export const partOf = (bytes: Raw, options: DecodeOptions): Raw => {
  const index = options.index ?? 0;
  if (options.allowObjectSmallerThanBufferSize !== true) {
    if (index === 0) return bytes;
    throw new MongoError(
      'usage',
      `The index ${String(index)} leaves bytes beside the document: allowObjectSmallerThanBufferSize must be set, too.`,
    );
  }
  const left = bytes.length - index;
  if (!Number.isInteger(index) || index < 0 || left < 5) {
    throw corruption(0, `${String(bytes.length)} bytes, and no document in them from ${String(index)} on,`);
  }
  const size = new DataView(bytes.buffer, bytes.byteOffset + index).getInt32(0, true);
  return bytes.subarray(index, index + size);
};

import { MongoError, type Raw } from '@tessera/contracts';
import { corruption } from '../corruption.js';
import type { DecodeOptions } from '../options.js';

/**
 * Returns the bytes of the one document that the options select. @throws MongoError `usage`, or `protocol` if the
 * document is incomplete.
 */
export const partOf = (bytes: Raw, options: DecodeOptions): Raw => {
  const index = options.index ?? 0;
  if (options.allowObjectSmallerThanBufferSize !== true) {
    if (index === 0) return bytes;
    throw new MongoError(
      'usage',
      `"index" is ${String(index)}, so the buffer holds more than the document. Also set "allowObjectSmallerThanBufferSize" to true.`,
    );
  }
  const left = bytes.length - index;
  if (!Number.isInteger(index) || index < 0 || left < 5) {
    throw corruption(
      0,
      `no complete document from index ${String(index)} on in a buffer of ${String(bytes.length)} bytes,`,
    );
  }
  const size = new DataView(bytes.buffer, bytes.byteOffset + index).getInt32(0, true);
  return bytes.subarray(index, index + size);
};

import { deflateSync, inflateSync } from 'node:zlib';
import type { Compressor } from '@tessera/contracts';
import { frameOf } from '../client.js';

export const zlib: Compressor = {
  id: 2,
  name: 'zlib',
  compress: bytes => new Uint8Array(deflateSync(bytes)),
  decompress: bytes => Promise.resolve(new Uint8Array(inflateSync(bytes))),
};

/**
 * Returns the frame as OP_COMPRESSED.
 * @param lie the number by which the announced size exceeds the real one
 */
export const compressed = (frame: Uint8Array, id: number, content: Uint8Array, lie = 0): Uint8Array => {
  const view = new DataView(frame.buffer);
  const head = new Uint8Array(9);
  new DataView(head.buffer).setInt32(0, view.getInt32(12, true), true);
  new DataView(head.buffer).setInt32(4, frame.length - 16 + lie, true);
  head[8] = id;
  return frameOf(view.getInt32(4, true), 2012, Uint8Array.from([...head, ...content]));
};

import { call, property } from '../facade.js';
import { bytesOf } from '../match.js';
import { documents, method, row } from './table.js';
import type { Table } from './table.js';

const everything = async (stream: unknown): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream as AsyncIterable<Uint8Array>) chunks.push(chunk);
  return Buffer.concat(chunks);
};

interface Events {
  once(name: string, listener: (value: never) => void): unknown;
}

/** Writes the bytes to an upload stream. Resolves with the file's id when the file is stored. */
const upload = (stream: unknown, bytes: Uint8Array): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const upload = stream as Events;
    upload.once('error', (error: Error) => reject(error));
    upload.once('finish', () => resolve(property(stream as object, 'id')));
    call(stream as object, 'end', bytes);
  });

const uploads = 'chunkSizeBytes metadata disableMD5 contentType';

export const onBuckets: Table<object> = {
  delete: method('id', ''),
  deleteByName: method('filename', ''),
  download: method('id', '', { as: 'openDownloadStream', then: everything }),
  downloadByName: method('filename', 'revision', { as: 'openDownloadStreamByName', then: everything }),
  drop: method('', ''),
  find: method('filter', 'sort limit skip batchSize maxTimeMS allowDiskUse noCursorTimeout', documents),
  rename: method('id newFilename', ''),
  renameByName: method('filename newFilename', ''),
  upload: row('filename source', uploads, (bucket, { filename, source }, options) =>
    upload(call(bucket, 'openUploadStream', filename, options), bytesOf(source)),
  ),
  uploadWithId: row('id filename source', uploads, (bucket, { id, filename, source }, options) =>
    upload(call(bucket, 'openUploadStreamWithId', id, filename, options), bytesOf(source)),
  ),
};

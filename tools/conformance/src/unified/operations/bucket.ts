import type { Document } from '@tessera/contracts';
import type { Bucket } from '../entities.js';
import { call, property } from '../facade.js';
import { bytesOf } from '../match.js';
import { row } from './table.js';
import type { Table } from './table.js';

const everything = async (stream: unknown): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream as AsyncIterable<Uint8Array>) chunks.push(chunk);
  return Buffer.concat(chunks);
};

interface Events {
  once(name: string, listener: (value: never) => void): unknown;
}

/** Writes all of it, and answers the file's id when it is stored. */
const upload = (stream: unknown, bytes: Uint8Array): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const upload = stream as Events;
    upload.once('error', (error: Error) => reject(error));
    upload.once('finish', () => resolve(property(stream as object, 'id')));
    call(stream as object, 'end', bytes);
  });

const uploads = 'chunkSizeBytes metadata disableMD5 contentType';

export const onBuckets: Table<Bucket> = {
  delete: row('id', '', ({ bucket }, { id }, options) => call(bucket, 'delete', id, options)),
  deleteByName: row('filename', '', ({ bucket }, { filename }, options) =>
    call(bucket, 'deleteByName', filename, options),
  ),
  download: row('id', '', ({ bucket }, { id }, options) => everything(call(bucket, 'openDownloadStream', id, options))),
  downloadByName: row('filename', 'revision', ({ bucket }, { filename }, options) =>
    everything(call(bucket, 'openDownloadStreamByName', filename, options)),
  ),
  drop: row('', '', ({ bucket }, _, options) => call(bucket, 'drop', options)),
  find: row(
    'filter',
    'sort limit skip batchSize maxTimeMS allowDiskUse noCursorTimeout',
    ({ bucket }, { filter }, options) => call(call(bucket, 'find', filter, options) as object, 'toArray'),
    'documents',
  ),
  rename: row('id newFilename', '', ({ bucket }, { id, newFilename }, options) =>
    call(bucket, 'rename', id, newFilename, options),
  ),
  renameByName: row('filename newFilename', '', ({ bucket }, { filename, newFilename }, options) =>
    call(bucket, 'renameByName', filename, newFilename, options),
  ),
  upload: row('filename source', uploads, ({ bucket }, { filename, source }, options: Document) =>
    upload(call(bucket, 'openUploadStream', filename, options), bytesOf(source)),
  ),
  uploadWithId: row('id filename source', uploads, ({ bucket }, { id, filename, source }, options: Document) =>
    upload(call(bucket, 'openUploadStreamWithId', id, filename, options), bytesOf(source)),
  ),
};

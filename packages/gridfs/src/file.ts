import type { Document, ObjectId } from '@tessera/contracts';
import type { Failure } from './failure.js';

/** A document of the files collection. Rule: GridFS, "Files collection document". */
export interface GridFSFile {
  /** The id. It has another type if the upload was given an `id` of another type. */
  _id: ObjectId;
  /** The size in bytes. */
  length: number;
  /** The size of every chunk except the last, in bytes. */
  chunkSize: number;
  /** The time at which the upload was completed. */
  uploadDate: Date;
  /** Several files may share a name. Old files may have none. */
  filename: string;
  /** The document that was stored with the file. */
  metadata?: Document | undefined;
  /** Deprecated; use `metadata`. */
  contentType?: string | undefined;
  /** Deprecated; use `metadata`. */
  aliases?: readonly string[] | undefined;
}

/** A document of the chunks collection. */
export interface GridFSChunk {
  /** The id of the chunk. */
  _id: ObjectId;
  /** The id of the file. */
  files_id: ObjectId;
  /** The number of the chunk, starting at 0. */
  n: number;
  /** The bytes. */
  data: Uint8Array;
}

/** The sizes that determine a file's chunks. */
export interface Layout {
  readonly length: number;
  readonly chunkSize: number;
}

/**
 * Reads the sizes from a file's document. Old files have numbers of any type. Rule: GridFS, "Files collection
 * document".
 * @throws an error of `failure` if the document is invalid.
 */
export const layoutOf = (file: Document, failure: Failure): Layout => {
  const length = Number(file['length']);
  const chunkSize = Number(file['chunkSize']);
  if (
    Number.isSafeInteger(length) &&
    length >= 0 &&
    (length === 0 || (Number.isSafeInteger(chunkSize) && chunkSize > 0))
  )
    return { length, chunkSize };
  throw failure(
    'chunk',
    `Cannot read the file ${String(file['_id'])}: its document has length ${String(file['length'])} and chunkSize ${String(file['chunkSize'])}.`,
  );
};

/** Returns the number of chunks of a file. */
export const chunkCount = ({ length, chunkSize }: Layout): number => (length === 0 ? 0 : Math.ceil(length / chunkSize));

/** The sort order and skip that select a revision among the files with one name. */
export interface RevisionQuery {
  readonly sort: { readonly uploadDate: 1 | -1 };
  readonly skip: number;
}

/**
 * Returns the query for a revision: 0 is the oldest, 1 the next; -1 the newest, -2 the one before. Rule: GridFS, "File
 * Download by Filename".
 */
export const revisionQuery = (revision: number): RevisionQuery =>
  revision >= 0 ? { sort: { uploadDate: 1 }, skip: revision } : { sort: { uploadDate: -1 }, skip: -revision - 1 };

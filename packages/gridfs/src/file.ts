import type { Document } from '@tessera/contracts';
import type { Failure } from './failure.js';

/** A document of the files collection. Rule: GridFS, "Files collection document". */
export interface GridFSFile {
  /** Of any type. */
  readonly _id: unknown;
  /** In bytes. */
  readonly length: number;
  /** Of every chunk but the last, in bytes. */
  readonly chunkSize: number;
  /** When the upload was complete. */
  readonly uploadDate: Date;
  /** Several files may have the same; files of old may have none. */
  readonly filename: string;
  readonly metadata?: Document | undefined;
  /** Of old: today it belongs into `metadata`. */
  readonly contentType?: string | undefined;
  /** Of old: today it belongs into `metadata`. */
  readonly aliases?: readonly string[] | undefined;
}

/** A document of the chunks collection. */
export interface GridFSChunk {
  readonly _id: unknown;
  readonly files_id: unknown;
  /** From 0 on. */
  readonly n: number;
  readonly data: Uint8Array;
}

/** How a file lies in its chunks. */
export interface Layout {
  readonly length: number;
  readonly chunkSize: number;
}

/**
 * Numbers of any type, as files of old have them. Rule: GridFS, "Files collection document".
 * @throws what `failure` makes if the document cannot describe a file.
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
    `The file ${String(file['_id'])} cannot be read: its document says length ${String(file['length'])} and chunkSize ${String(file['chunkSize'])}.`,
  );
};

/** Of how many chunks a file consists. */
export const chunkCount = ({ length, chunkSize }: Layout): number => (length === 0 ? 0 : Math.ceil(length / chunkSize));

/** The query that finds a revision among the files of one name. */
export interface RevisionQuery {
  readonly sort: { readonly uploadDate: 1 | -1 };
  readonly skip: number;
}

/** 0 is the oldest, 1 the next; -1 the newest, -2 the one before. Rule: GridFS, "File Download by Filename". */
export const revisionQuery = (revision: number): RevisionQuery =>
  revision >= 0 ? { sort: { uploadDate: 1 }, skip: revision } : { sort: { uploadDate: -1 }, skip: -revision - 1 };

import type { HostStream, ObjectId, Streams } from '@tessera/contracts';
import type { TimeLimit } from './time-limit.js';
import { Download } from './download.js';
import type { DownloadDeps } from './download.js';
import type { Failure } from './failure.js';
import type { GridFSFile } from './file.js';
import type { Range } from './range.js';
import type { Upload, UploadOptions } from './upload.js';

/** The members of a read stream in addition to those of the host's stream. */
export interface GridFSReadStream {
  /** Sets the first byte. @throws after reading has started */
  start(start?: number): GridFSReadStream;
  /** Sets the end of the range (exclusive). @throws after reading has started */
  end(end?: number): GridFSReadStream;
  /** Ends the stream at once: it emits no more data, then `end` and `close`. */
  abort(): Promise<void>;
}

/** The state of a write stream. */
export interface WriteStreamState {
  /** Whether the file is stored. */
  readonly streamEnd: boolean;
  /** 0: the stream counts no inserts. */
  readonly outstandingRequests: number;
  /** Whether an insert failed. */
  readonly errored: boolean;
  /** Whether `abort` was called. */
  readonly aborted: boolean;
}

/** The members of a write stream in addition to those of the host's stream. */
export interface GridFSWriteStream {
  /** The id of the file. It has another type if the upload was given an `id` of another type. */
  readonly id: ObjectId;
  /** The name of the file. */
  readonly filename: string;
  /** The size of every chunk except the last, in bytes. */
  readonly chunkSizeBytes: number;
  /** The number of bytes written so far. */
  readonly length: number;
  /** The file's document once it is stored, at the event `finish`. Null before, and after an error. */
  readonly gridFSFile: GridFSFile | null;
  /** Whether the file is stored. */
  readonly done: boolean;
  /** The number of full chunks written so far. */
  readonly n: number;
  /** The number of bytes written so far that do not fill a chunk. */
  readonly pos: number;
  /** The state of the stream. */
  readonly state: WriteStreamState;
  /**
   * Deletes the stored chunks and closes the stream. @throws if they cannot be deleted, or if the upload has ended.
   */
  abort(): Promise<void>;
}

const readers = new WeakSet();
const writers = new WeakSet();

/** Whether the value is a stream that reads a file. The stream belongs to the host, so it has no class to test. */
export const isReadStream = (value: unknown): value is GridFSReadStream => readers.has(value as WeakKey);

/** Whether the value is a stream that writes a file. */
export const isWriteStream = (value: unknown): value is GridFSWriteStream => writers.has(value as WeakKey);

/** Adds members to the host's stream. */
const dress = <Members extends object>(stream: HostStream, members: Members): HostStream & Members =>
  Object.defineProperties(stream, Object.getOwnPropertyDescriptors(members)) as HostStream & Members;

interface Deps {
  readonly streams: Streams;
  readonly failure: Failure;
}

export const createReadStream = (
  { streams, failure }: Deps,
  download: Omit<DownloadDeps, 'onFile'>,
  asked: Partial<Range>,
  limit: TimeLimit,
): HostStream & GridFSReadStream => {
  let range = asked;
  let hasBegun = false;
  const findFile: DownloadDeps['findFile'] = given => {
    hasBegun = true;
    return download.findFile(given);
  };
  const set = (change: Partial<Range>): void => {
    if (hasBegun) throw failure('stream', 'Options cannot be changed after the stream is initialized');
    range = { ...range, ...change };
  };
  const bytes = new Download({ ...download, findFile, onFile: file => stream.emit('file', file) }, () => range, limit);
  const members: GridFSReadStream = {
    start: (start = 0) => {
      set({ start });
      return stream;
    },
    end: (end = 0) => {
      set({ end });
      return stream;
    },
    abort: async () => {
      (stream as { push?: (bytes: null) => void }).push?.(null);
      stream.destroy();
      await bytes.return();
    },
  };
  const stream: HostStream & GridFSReadStream = dress(streams.readable(bytes, { bytes: true }), members);
  readers.add(stream);
  return stream;
};

export const createWriteStream = (
  streams: Streams,
  upload: Upload,
  { id, filename, chunkSizeBytes }: UploadOptions,
): HostStream & GridFSWriteStream => {
  const stream = dress<GridFSWriteStream>(
    streams.writable({
      write: bytes => upload.write(bytes),
      end: async () => {
        await upload.end();
      },
    }),
    {
      id: id as ObjectId,
      filename,
      chunkSizeBytes,
      get length() {
        return upload.length;
      },
      get gridFSFile() {
        return upload.file ?? null;
      },
      get done() {
        return upload.file !== undefined;
      },
      get n() {
        return Math.floor(upload.length / chunkSizeBytes);
      },
      get pos() {
        return upload.length % chunkSizeBytes;
      },
      get state() {
        const { file, hasFailed: errored, isAborted: aborted } = upload;
        return { streamEnd: file !== undefined, outstandingRequests: 0, errored, aborted };
      },
      abort: async () => {
        const aborting = upload.abort();
        // The stream is destroyed first: a pending write fails now, and without this the stream would emit the failure
        // as `error`.
        if (upload.isAborted) stream.destroy();
        await aborting;
      },
    },
  );
  writers.add(stream);
  return stream;
};

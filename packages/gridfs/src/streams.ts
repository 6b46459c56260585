import type { HostStream, Streams } from '@tessera/contracts';
import type { TimeLimit } from './time-limit.js';
import { Download } from './download.js';
import type { DownloadDeps } from './download.js';
import type { Failure } from './failure.js';
import type { GridFSFile } from './file.js';
import type { Range } from './range.js';
import type { Upload, UploadOptions } from './upload.js';

/** What a stream that reads a file has beside the host's own members. */
export interface GridFSReadStream {
  /** From this byte on. @throws once the reading has begun */
  start(start?: number): GridFSReadStream;
  /** Up to, but without, this byte. @throws once the reading has begun */
  end(end?: number): GridFSReadStream;
  /** Ends the stream at once: no more bytes, then `end` and `close`. */
  abort(): Promise<void>;
}

/** What a stream that writes a file has beside the host's own members. */
export interface GridFSWriteStream {
  readonly id: unknown;
  readonly filename: string;
  readonly chunkSizeBytes: number;
  /** Bytes that were written so far. */
  readonly length: number;
  /** The file's document once it is stored, at the event `finish`; before, and after an error, null. */
  readonly gridFSFile: GridFSFile | null;
  /** Whether the file is stored. */
  readonly done: boolean;
  /** Deletes the chunks that were stored, and closes the stream. @throws if they cannot be deleted, and after the end. */
  abort(): Promise<void>;
}

const readers = new WeakSet();
const writers = new WeakSet();

/** Whether it is a stream that reads a file: the host's own, it has no class to ask. */
export const isReadStream = (value: unknown): value is GridFSReadStream => readers.has(value as WeakKey);

/** Whether it is a stream that writes a file. */
export const isWriteStream = (value: unknown): value is GridFSWriteStream => writers.has(value as WeakKey);

/** The host's stream with members of its own. */
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
      id,
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
      abort: async () => {
        const aborting = upload.abort();
        // First: a pending write fails now, and a stream that is not destroyed would emit that failure as `error`.
        if (upload.isAborted) stream.destroy();
        await aborting;
      },
    },
  );
  writers.add(stream);
  return stream;
};

/** The parts of GridFS by themselves: states of an upload, time limits, and checks of chunks. */
import { describe, expect, test } from 'vitest';
import { chunkFault, missingFault } from '../src/chunk-check.js';
import { createTimeLimit } from '../src/time-limit.js';
import type { Failure } from '../src/failure.js';
import { Upload } from '../src/upload.js';
import type { UploadDeps } from '../src/upload.js';

/** Creates an error that includes its reason. */
const failure: Failure = (reason, message) => new Error(`${reason}: ${message}`);

interface Stage {
  readonly upload: Upload;
  /** The operations performed, in order. */
  readonly log: string[];
  /** The error of the next insert. */
  fault: Error | undefined;
}

const stage = (): Stage => {
  const log: string[] = [];
  const insert = (what: string) => (): Promise<void> => {
    log.push(what);
    const { fault } = made;
    return fault === undefined ? Promise.resolve() : Promise.reject(fault);
  };
  const deps = {
    clock: { wallTime: () => 5 },
    failure,
    files: { insertOne: insert('file') },
    chunks: {
      insertMany: (documents: readonly unknown[]) => insert(`chunks ${documents.length}`)(),
      deleteMany: () => Promise.resolve(void log.push('delete')),
    },
    prepare: () => Promise.resolve(void log.push('prepare')),
  } as unknown as UploadDeps;
  const options = { id: 1, filename: 'a', chunkSizeBytes: 4 };
  const made: Stage = { upload: new Upload(deps, options, { options: () => ({}) }), log, fault: undefined };
  return made;
};
const settle = (): Promise<void> => new Promise(resolve => setImmediate(resolve));
const ended = 'stream: Cannot write to a file after its upload has ended';

describe('an upload', () => {
  test('prepares once, stores chunks and then the file, and rejects further writes', async () => {
    const { upload, log } = stage();
    expect([upload.file, upload.hasFailed, upload.isAborted]).toEqual([undefined, false, false]);
    await upload.write(new Uint8Array(9));
    await settle();
    await upload.write(new Uint8Array(4));
    const file = await upload.end();
    expect(log).toEqual(['prepare', 'chunks 2', 'chunks 1', 'chunks 1', 'file']);
    expect(file).toEqual({ _id: 1, length: 13, chunkSize: 4, uploadDate: new Date(5), filename: 'a' });
    expect([upload.file, upload.hasFailed, upload.isAborted]).toEqual([file, false, false]);
    await expect(upload.write(new Uint8Array(1))).rejects.toThrow(ended);
    await expect(upload.end()).rejects.toThrow(ended);
    await expect(upload.abort()).rejects.toThrow('aborted: Cannot abort a stream that has already completed');
  });

  test('rejects writes while it ends', async () => {
    const { upload } = stage();
    const ending = upload.end();
    await expect(upload.write(new Uint8Array(1))).rejects.toThrow(ended);
    await expect(upload.abort()).rejects.toThrow('aborted: Cannot abort a stream that has already completed');
    expect(await ending).toMatchObject({ length: 0 });
  });

  test('rethrows the error of a failed insert, and deletes nothing', async () => {
    const made = stage();
    const { upload, log } = made;
    made.fault = new Error('disk full');
    await upload.write(new Uint8Array(4));
    await settle();
    expect(upload.hasFailed).toBe(true);
    await expect(upload.write(new Uint8Array(1))).rejects.toBe(made.fault);
    await expect(upload.end()).rejects.toBe(made.fault);
    expect([upload.hasFailed, upload.isAborted, upload.file, log]).toEqual([
      true,
      false,
      undefined,
      ['prepare', 'chunks 1'],
    ]);
  });

  test('deletes its chunks once when it is aborted', async () => {
    const { upload, log } = stage();
    await upload.write(new Uint8Array(4));
    await upload.abort();
    expect([upload.isAborted, upload.hasFailed, log.at(-1)]).toEqual([true, false, 'delete']);
    await expect(upload.abort()).rejects.toThrow('aborted: Cannot call abort() on a stream twice');
    await expect(upload.write(new Uint8Array(1))).rejects.toThrow('aborted: Stream has been aborted');
  });
});

describe('Client Side Operations Timeout, "GridFS API": a time limit', () => {
  const limitOf = (timeoutMS: number | undefined): { now: number; left: () => unknown } => {
    const clock = { now: () => made.now };
    const made = { now: 100, left: () => limit.options().timeoutMS as unknown };
    const limit = createTimeLimit({ clock, failure }, 'Upload', timeoutMS, undefined);
    return made;
  };

  test('gives each operation the remaining time in whole milliseconds', () => {
    const limit = limitOf(50);
    expect(limit.left()).toBe(50);
    limit.now = 149.5;
    expect(limit.left()).toBe(1);
    limit.now = 150;
    expect(limit.left).toThrow('timeout: Upload timed out after 50ms');
  });

  test.each([undefined, 0, -1, 1.5, NaN, Infinity])('passes %s on unchanged', timeoutMS => {
    const limit = limitOf(timeoutMS);
    limit.now = 1e9;
    expect(limit.left()).toBe(timeoutMS);
  });
});

describe('GridFS, "File Download": chunk checks', () => {
  const layout = { length: 10, chunkSize: 4 };
  test.each<readonly [expected: number, n: number, size: number, fault: string | undefined]>([
    [0, 0, 4, undefined],
    [2, 2, 2, undefined],
    [3, 3, 0, undefined],
    [0, NaN, 4, 'ChunkIsMissing: Got a chunk without a number, expected n: 0'],
    [0, 1, 4, 'ChunkIsMissing: Got unexpected n: 1, expected: 0'],
    [1, 0, 4, 'ExtraChunk: Got unexpected n: 0, expected: 1'],
    [3, 3, 1, 'ExtraChunk: Got unexpected n: 3, expected file length 10 bytes but already read 10 bytes'],
    [1, 1, 3, 'ChunkIsWrongSize: Got unexpected length: 3, expected: 4'],
    [1, 1, 5, 'ChunkIsWrongSize: Got unexpected length: 5, expected: 4'],
    [2, 2, 4, 'ChunkIsWrongSize: Got unexpected length: 4, expected: 2'],
  ])('expects number %d and receives number %d with %d bytes', (expected, n, size, fault) => {
    expect(chunkFault(expected, { n, size }, layout as never)).toBe(fault);
  });

  test('reports a missing chunk at the end', () => {
    expect(missingFault(1, 3)).toBe('ChunkIsMissing: Got no chunk, expected n: 1 of 3 chunks');
  });
});

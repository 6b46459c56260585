import type { OpenFile } from '@tessera/contracts';
import type { FileId, Frame, Place } from './frame.js';
import { frameHeaderSize, frameLength, headerSize, readFrame } from './frame.js';

const ahead = 1024 * 1024;

/** A read buffer for a file. It reads ahead, so that small reads are cheap. */
class Window {
  readonly size: number;
  readonly #file: OpenFile;
  #bytes: Uint8Array = new Uint8Array(0);
  #from = 0;

  constructor(file: OpenFile, size: number) {
    this.#file = file;
    this.size = size;
  }

  /** Reads bytes; fewer at the end of the file. */
  async read(at: number, length: number): Promise<Uint8Array> {
    const end = Math.min(this.size, at + length);
    if (at < this.#from || end > this.#from + this.#bytes.length) {
      this.#bytes = await this.#file.read(at, Math.max(ahead, end - at));
      this.#from = at;
    }
    return this.#bytes.subarray(at - this.#from, Math.max(at, end) - this.#from);
  }
}

/** Returns the frame at a position of the file, or undefined if there is no intact frame. */
const frameAt = async (id: FileId, window: Window, at: number): Promise<Frame | undefined> => {
  const length = frameLength(await window.read(at, frameHeaderSize));
  if (length === undefined || at + length > window.size) return undefined;
  return readFrame(id, await window.read(at, length));
};

const isNext = (frame: Frame, expected: Place): boolean =>
  frame.commit === expected.commit && frame.part === expected.part;

/** How the content of a file ends. */
export type Ending =
  | { readonly kind: 'whole' }
  /** The bytes after the last commit belong to a commit that a crash interrupted. */
  | { readonly kind: 'torn' }
  /** The bytes at this position are damaged, but were intact once. */
  | { readonly kind: 'damaged'; readonly at: number };

export interface Reading {
  /** The number of intact commits. */
  readonly commits: number;
  /** The position after the last of them. */
  readonly end: number;
  readonly size: number;
  readonly ending: Ending;
}

/** Whether there is a frame of a later commit. If so, all earlier commits were synced. */
const goesOn = async (id: FileId, window: Window, from: number, commit: number): Promise<boolean> => {
  for (let at = from; at + frameHeaderSize <= window.size; at++) {
    const bytes = await window.read(at, ahead);
    // The first byte of the frame mark.
    const next = bytes.indexOf(0x66);
    if (next === -1) {
      at += bytes.length - 1;
      continue;
    }
    at += next;
    const frame = await frameAt(id, window, at);
    if (frame !== undefined && frame.commit > commit) return true;
  }
  return false;
};

/**
 * Passes the contents of each intact commit to `take`, in order, and returns how the file ends. The contents of the
 * first commit are passed frame by frame, and must be discarded if `commits` is 0.
 */
export const readCommits = async (
  file: OpenFile,
  id: FileId,
  take: (contents: readonly Uint8Array[]) => void,
): Promise<Reading> => {
  const size = await file.size();
  const window = new Window(file, size);
  let contents: Uint8Array[] = [];
  let expected: Place = { commit: 1, part: 0 };
  let end = headerSize;
  let at = end;
  while (at < size) {
    const frame = await frameAt(id, window, at);
    if (frame === undefined || !isNext(frame, expected)) {
      const damaged = await goesOn(id, window, at, expected.commit);
      return { commits: expected.commit - 1, end, size, ending: damaged ? { kind: 'damaged', at } : { kind: 'torn' } };
    }
    // The first commit is the whole snapshot, and the file is useless without its end, so do not buffer it.
    const isTaken = frame.isLast || expected.commit === 1;
    // Copy the content if more frames of the commit follow, because the read buffer is reused.
    contents.push(isTaken ? frame.content : frame.content.slice());
    at += frameHeaderSize + frame.content.length;
    if (isTaken) {
      take(contents);
      contents = [];
    }
    if (frame.isLast) {
      end = at;
    }
    expected = frame.isLast
      ? { commit: expected.commit + 1, part: 0 }
      : { commit: expected.commit, part: expected.part + 1 };
  }
  return { commits: expected.commit - 1, end, size, ending: end === size ? { kind: 'whole' } : { kind: 'torn' } };
};

import type { OpenFile } from '@tessera/contracts';
import type { FileId, Frame, Place } from './frame.js';
import { frameHeaderSize, frameLength, headerSize, readFrame } from './frame.js';

const ahead = 1024 * 1024;

/** Bytes of a file, of which a good deal is read at once. */
class Window {
  readonly size: number;
  readonly #file: OpenFile;
  #bytes: Uint8Array = new Uint8Array(0);
  #from = 0;

  constructor(file: OpenFile, size: number) {
    this.#file = file;
    this.size = size;
  }

  /** Fewer at the end of the file. */
  async read(at: number, length: number): Promise<Uint8Array> {
    const end = Math.min(this.size, at + length);
    if (at < this.#from || end > this.#from + this.#bytes.length) {
      this.#bytes = await this.#file.read(at, Math.max(ahead, end - at));
      this.#from = at;
    }
    return this.#bytes.subarray(at - this.#from, Math.max(at, end) - this.#from);
  }
}

/** What stands at a place of the file; undefined: no frame that is whole. */
const frameAt = async (id: FileId, window: Window, at: number): Promise<Frame | undefined> => {
  const length = frameLength(await window.read(at, frameHeaderSize));
  if (length === undefined || at + length > window.size) return undefined;
  return readFrame(id, await window.read(at, length));
};

const isNext = (frame: Frame, expected: Place): boolean =>
  frame.commit === expected.commit && frame.part === expected.part;

/** How a file ends, or why it cannot be read on. */
export type Ending =
  | { readonly kind: 'whole' }
  /** What is behind the last commit is none: a crash left it. */
  | { readonly kind: 'torn' }
  /** What cannot be read at that place was whole once. */
  | { readonly kind: 'damaged'; readonly at: number };

export interface Reading {
  /** Commits that are there. */
  readonly commits: number;
  /** Behind the last of them. */
  readonly end: number;
  readonly size: number;
  readonly ending: Ending;
}

/** Whether a frame of a later commit is there: then those before were synced. */
const goesOn = async (id: FileId, window: Window, from: number, commit: number): Promise<boolean> => {
  for (let at = from; at + frameHeaderSize <= window.size; at++) {
    const bytes = await window.read(at, ahead);
    // The first byte of its mark.
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
 * Hands over the contents of each commit that is whole, from the first on, and tells how it ends. Those of the first come frame by
 * frame: what was handed over counts for nothing if there is not one commit.
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
    // The first is the whole snapshot, and without its end the file cannot be used: nobody need keep it until then.
    const isTaken = frame.isLast || expected.commit === 1;
    // A copy, where more of the commit is to come: the window moves on.
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

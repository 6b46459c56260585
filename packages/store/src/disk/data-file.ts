import type { Folder, OpenFile, Random } from '@tessera/contracts';
import type { DatabaseValue } from '../database.js';
import { emptyDatabase } from '../database.js';
import { contentsOf } from './change-bytes.js';
import { changesBetween } from './changes.js';
import { fileHeader, headerSize, readFileHeader, writeFrame } from './frame.js';
import type { FileId } from './frame.js';
import type { Reading } from './frames-in.js';

/** The approximate size of appended pieces in bytes. Small frames are collected into one write. */
const piece = 256 * 1024;

const joined = (parts: readonly Uint8Array[], length: number): Uint8Array => {
  if (parts.length === 1) return parts[0]!;
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
};

/** A file of commits that is appended to. Its content up to `size` is synced. */
export class DataFile {
  #file: OpenFile;
  readonly #id: FileId;
  /** The number of the last synced commit. */
  #commit: number;
  #end: number;
  /** Whether there may be invalid bytes after the last commit. */
  #dirty = false;

  private constructor(file: OpenFile, id: FileId, at: { readonly commit: number; readonly end: number }) {
    this.#file = file;
    this.#id = id;
    this.#commit = at.commit;
    this.#end = at.end;
  }

  /** Continues a file after its last commit. */
  static resume(file: OpenFile, id: FileId, { commits, end, size }: Reading): DataFile {
    const made = new DataFile(file, id, { commit: commits, end });
    made.#dirty = end < size;
    return made;
  }

  /** Starts an empty file with a snapshot as its first commit. Resolves when it is synced. */
  static async begin(file: OpenFile, random: Random, value: DatabaseValue): Promise<DataFile> {
    const header = fileHeader(random.bytes(8));
    const known = readFileHeader(header);
    if (known.kind !== 'known') throw new Error('The header that was just created is invalid.');
    await file.truncate(0);
    await file.append(header);
    const made = new DataFile(file, known.id, { commit: 0, end: headerSize });
    await made.commit(emptyDatabase, value);
    return made;
  }

  /** The position after the last commit, in bytes. */
  get size(): number {
    return this.#end;
  }

  /** Truncates what a crash or an error left after the last commit. */
  async clean(): Promise<void> {
    if (!this.#dirty) return;
    await this.#file.truncate(this.#end);
    await this.#file.sync();
    this.#dirty = false;
  }

  /**
   * Appends the changes from one value to another as one commit, and syncs it. After an error, the commit has not
   * happened and may be retried.
   * @throws FileError
   */
  async commit(before: DatabaseValue, after: DatabaseValue): Promise<void> {
    await this.clean();
    this.#dirty = true;
    const commit = this.#commit + 1;
    let end = this.#end;
    let parts: Uint8Array[] = [];
    let length = 0;
    const append = async (): Promise<void> => {
      const bytes = joined(parts, length);
      [parts, length] = [[], 0];
      end += bytes.length;
      await this.#file.append(bytes);
    };
    const contents = contentsOf(changesBetween(before, after));
    let content = contents.next();
    for (let part = 0; content.done !== true; part++) {
      const next = contents.next();
      const frame = writeFrame(this.#id, { commit, part, isLast: next.done === true, content: content.value });
      parts.push(frame);
      length += frame.length;
      if (length >= piece) await append();
      content = next;
    }
    if (length > 0) await append();
    await this.#file.sync();
    this.#commit = commit;
    this.#end = end;
    this.#dirty = false;
  }

  /** Reopens the file under its new name, so that error messages contain that name. */
  async renamed(open: () => Promise<OpenFile>): Promise<void> {
    const old = this.#file;
    this.#file = await open().catch(() => old);
    if (this.#file !== old) await old.close().catch(() => undefined);
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

export const dataName = 'data';
export const newDataName = 'data.new';

export const pathOf = (folder: Folder): string => `${folder.path}/${dataName}`;

/** Files that hold data which is to survive a crash of the process, and of the machine. */

/** Why a file could not be used; the error's message says which one, and what to do. */
export type FileTrouble =
  /** The device has no room, or the user's share of it is used up. */
  | 'full'
  /** Whoever runs the program may not. */
  | 'denied'
  /** Somebody else has the folder. */
  | 'taken'
  /** Anything else that befalls a device. */
  | 'failed';

/** What every call here is rejected with. */
export interface FileError extends Error {
  readonly trouble: FileTrouble;
}

export interface Files {
  /**
   * Makes the folder if it is not there, and keeps everybody else out of it until it is closed. Whoever had it and is gone
   * without closing it is in nobody's way.
   * @throws FileError `taken`, saying by whom
   */
  openFolder(path: string): Promise<Folder>;
}

/** A folder and the files in it, by their names. */
export interface Folder {
  /** As it was asked for. */
  readonly path: string;
  /** In no particular order. */
  list(): Promise<readonly string[]>;
  /** Makes an empty file if there is none; once this has resolved, its being there survives a crash. */
  openFile(name: string): Promise<OpenFile>;
  /**
   * In the place of what had that name before: a crash leaves the one or the other, and the new one once this has
   * resolved. What is in the file must have been synced before.
   */
  rename(from: string, to: string): Promise<void>;
  /** Nothing happens if there is none. */
  remove(name: string): Promise<void>;
  /** Lets others in. Files are closed before. */
  close(): Promise<void>;
}

/** Calls on one file do not overlap: each waits for the one before. */
export interface OpenFile {
  /** Bytes. */
  size(): Promise<number>;
  /** So many bytes from there on, fewer only at the end of the file. */
  read(at: number, length: number): Promise<Uint8Array>;
  /**
   * At the end; the bytes must not change meanwhile. A crash leaves any part of what has not been synced, or rubbish in its
   * place; so does an error, and nothing may be built upon it before it was cut off by `truncate`.
   */
  append(bytes: Uint8Array): Promise<void>;
  /** Once this has resolved, what the file holds survives a crash. After an error it holds for nothing since the last one. */
  sync(): Promise<void>;
  /** Cuts off what is behind that many bytes. */
  truncate(length: number): Promise<void>;
  close(): Promise<void>;
}

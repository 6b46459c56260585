/** Files for data that must survive a crash of the process or of the machine. */

/** Why a file operation failed. The error's message names the file and says what to do. */
export type FileTrouble =
  /** The device is full, or the user's quota is used up. */
  | 'full'
  /** The process lacks the permission. */
  | 'denied'
  /** Another process has the folder open. */
  | 'taken'
  /** Any other error of the device or file system. */
  | 'failed';

/** The error with which the methods of {@link Files}, {@link Folder} and {@link OpenFile} reject. */
export interface FileError extends Error {
  /** The cause, in a word that all file systems share. */
  readonly trouble: FileTrouble;
}

/**
 * Opens folders of files. The embedded server stores its data with it. The driver does not use it, and a `Runtime` does not contain
 * it.
 */
export interface Files {
  /**
   * Opens a folder and locks it against other processes until it is closed. Creates the folder if it does not exist. Ignores a lock
   * of a process that has ended.
   * @throws FileError `taken` if another process has the folder open; the message names the folder
   */
  openFolder(path: string): Promise<Folder>;
}

/** An open folder. Its methods take names of files in it. */
export interface Folder {
  /** The path as it was passed to `openFolder`. */
  readonly path: string;
  /** Returns the names of all files, in no particular order. */
  list(): Promise<readonly string[]>;
  /** Opens a file. Creates an empty file if it does not exist. Once this has resolved, the file's existence survives a crash. */
  openFile(name: string): Promise<OpenFile>;
  /**
   * Renames a file and replaces the file that has the new name. After a crash, that name has either the old or the new
   * file; once this has resolved, it has the new file. Call `sync` on the file first.
   */
  rename(from: string, to: string): Promise<void>;
  /** Deletes a file. Does nothing if it does not exist. */
  remove(name: string): Promise<void>;
  /** Unlocks the folder. Close its files first. */
  close(): Promise<void>;
}

/** An open file. The caller awaits each call before the next one, so an implementation needs no queue. */
export interface OpenFile {
  /** Returns the file's size in bytes. */
  size(): Promise<number>;
  /** Reads `length` bytes from offset `at`; returns fewer only at the end of the file. */
  read(at: number, length: number): Promise<Uint8Array>;
  /**
   * Writes bytes at the end of the file. The caller must not change them until the call has settled. Bytes that are not synced
   * may be missing or corrupt after a crash. After an error the end of the file is undefined: call `truncate` before the next
   * `append`.
   */
  append(bytes: Uint8Array): Promise<void>;
  /**
   * Makes the file's content durable: once this has resolved, it survives a crash. After an error, nothing that was written
   * since the last successful `sync` is guaranteed.
   */
  sync(): Promise<void>;
  /** Shortens the file to `length` bytes. */
  truncate(length: number): Promise<void>;
  /** Closes the file. No other method may be called afterwards. */
  close(): Promise<void>;
}

import type { Document } from '@tessera/contracts';
import { runCursorCommand } from '@tessera/operations';
import type { OpenCursor } from '@tessera/operations';
import { ReadPreference } from './concerns.js';
import type { ReadPreferenceLike } from './concerns.js';
import { AbstractCursor } from './cursor.js';
import type { AbstractCursorOptions } from './cursor.js';
import { MongoAPIError } from './errors.js';
import type { Handle } from './handle.js';
import { argument, checkArgument } from './operation-options.js';

/** What is said here of batches, time and comment goes into the getMores: the command itself is sent as it is. */
export interface RunCursorCommandOptions extends Omit<
  AbstractCursorOptions,
  'readConcern' | 'writeConcern' | 'noCursorTimeout'
> {
  readonly readPreference?: ReadPreferenceLike | undefined;
}

const ofTheCommand = (what: string): never => {
  throw new MongoAPIError(
    `The command of this cursor is sent as it is: ${what} must stand in the command; for its getMores there are setBatchSize, setComment and setMaxTimeMS.`,
  );
};

/** The documents of a user's own command. Rule: Run Command, "runCursorCommand". */
export class RunCommandCursor extends AbstractCursor<Document, RunCursorCommandOptions> {
  readonly command: Readonly<Document>;

  constructor(handle: Handle, command: Document, options: RunCursorCommandOptions) {
    super(handle, options);
    checkArgument('command', command, argument.document);
    this.command = Object.freeze({ ...command });
  }

  protected override opening(handle: Handle): { readonly open: OpenCursor } {
    const selection = ReadPreference.fromOptions(this.options) ?? ReadPreference.primary;
    return { open: take => runCursorCommand(handle, this.command, selection, take) };
  }

  /** Only the user knows what the command is. */
  protected override get isTimed(): boolean {
    return true;
  }

  setBatchSize(batchSize: number): this {
    return this.set('batchSize', batchSize);
  }

  setComment(comment: unknown): this {
    return this.set('comment', comment);
  }

  /** How long the server may wait for documents before it answers a getMore. */
  setMaxTimeMS(maxTimeMS: number): this {
    return this.set('maxAwaitTimeMS', maxTimeMS);
  }

  override clone(): never {
    throw new MongoAPIError('The cursor of a command cannot be cloned; make another with db.runCursorCommand.');
  }

  override withReadConcern(): never {
    return ofTheCommand('the read concern');
  }

  override addCursorFlag(): never {
    return ofTheCommand('a flag');
  }

  override maxTimeMS(): never {
    return ofTheCommand('maxTimeMS');
  }

  override batchSize(): never {
    return ofTheCommand('batchSize');
  }
}

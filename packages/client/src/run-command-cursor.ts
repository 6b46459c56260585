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

/**
 * Options of `runCursorCommand`. batchSize, comment and maxTimeMS apply to getMores, because the command is sent
 * unchanged.
 */
export interface RunCursorCommandOptions extends Omit<
  AbstractCursorOptions,
  'readConcern' | 'writeConcern' | 'noCursorTimeout'
> {
  readonly readPreference?: ReadPreferenceLike | undefined;
}

const ofTheCommand = (what: string): never => {
  throw new MongoAPIError(
    `The command of this cursor is sent unchanged, so put ${what} into the command. setBatchSize, setComment and setMaxTimeMS apply to its getMores.`,
  );
};

/** A cursor over the documents of an application's command. Rule: Run Command, "runCursorCommand". */
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

  /** The driver cannot determine whether the command opens an awaitData cursor. */
  protected override get isTimed(): boolean {
    return true;
  }

  setBatchSize(batchSize: number): this {
    return this.set('batchSize', batchSize);
  }

  setComment(comment: unknown): this {
    return this.set('comment', comment);
  }

  /** Sets the time in milliseconds that the server may wait for documents in a getMore. */
  setMaxTimeMS(maxTimeMS: number): this {
    return this.set('maxAwaitTimeMS', maxTimeMS);
  }

  override clone(): never {
    throw new MongoAPIError('The cursor of a command cannot be cloned. Call db.runCursorCommand again.');
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

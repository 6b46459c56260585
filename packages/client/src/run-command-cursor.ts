import type { Document } from '@tessera/contracts';
import { runCursorCommand } from '@tessera/operations';
import type { OpenCursor } from '@tessera/operations';
import { ReadPreference } from './concerns.js';
import type { ReadPreferenceLike } from './concerns.js';
import { AbstractCursor } from './cursor.js';
import type { AbstractCursorEvents, AbstractCursorOptions } from './cursor-options.js';
import { MongoAPIError } from './errors.js';
import type { Handle } from './handle.js';
import { argument, checkArgument } from './operation-options.js';

/**
 * Options of `runCursorCommand`. The command is sent unchanged, so `batchSize`, `comment` and `maxAwaitTimeMS` apply only
 * to its getMores, and `maxTimeMS` has no effect.
 */
export interface RunCursorCommandOptions extends Omit<AbstractCursorOptions, 'readConcern' | 'noCursorTimeout'> {
  /** The servers that the command may use. Default: `primary`; the read preference of the database does not apply. */
  readPreference?: ReadPreferenceLike | undefined;
}

const ofTheCommand = (what: string): never => {
  throw new MongoAPIError(
    `The command of this cursor is sent unchanged, so put ${what} into the command. setBatchSize, setComment and setMaxTimeMS apply to its getMores.`,
  );
};

/** A cursor over the documents of an application's command. Rule: Run Command, "runCursorCommand". */
// oxlint-disable-next-line typescript/no-explicit-any -- as in the official driver: documents without a schema
export class RunCommandCursor extends AbstractCursor<any, AbstractCursorEvents, RunCursorCommandOptions> {
  /** The command that opens the cursor, as it is sent. */
  readonly command: Readonly<Document>;

  /** Use `db.runCursorCommand` instead. */
  constructor(handle: Handle, command: Document, options: RunCursorCommandOptions) {
    super(handle, options);
    checkArgument('command', command, argument.document);
    this.command = Object.freeze({ ...command });
  }

  /** The name of the method, for errors. */
  protected override get method(): string {
    return 'runCursorCommand';
  }

  /** The options of the getMores. */
  get getMoreOptions(): Pick<RunCursorCommandOptions, 'batchSize' | 'comment' | 'maxAwaitTimeMS'> {
    const { batchSize, comment, maxAwaitTimeMS } = this.options;
    return {
      ...(comment !== undefined && { comment }),
      ...(maxAwaitTimeMS !== undefined && { maxAwaitTimeMS }),
      ...(batchSize !== undefined && { batchSize }),
    };
  }

  /** Returns the command that opens the cursor. */
  protected override opening(handle: Handle): { readonly open: OpenCursor } {
    const selection = ReadPreference.fromOptions(this.options) ?? ReadPreference.primary;
    return { open: take => runCursorCommand(handle, this.command, selection, take) };
  }

  /** The driver cannot determine whether the command opens an awaitData cursor. */
  protected override get isTimed(): boolean {
    return true;
  }

  /**
   * Sets the maximum number of documents of each getMore. Default: the server's default.
   * @example db.runCursorCommand({ checkMetadataConsistency: 1 }).setBatchSize(100);
   */
  setBatchSize(batchSize: number): this {
    return this.set('batchSize', batchSize);
  }

  /**
   * Sets the comment of each getMore, for the server's logs and profiler.
   * @example db.runCursorCommand({ checkMetadataConsistency: 1 }).setComment('nightly');
   */
  setComment(comment: unknown): this {
    return this.set('comment', comment);
  }

  /**
   * Sets the time in milliseconds that the server may wait for documents in a getMore.
   * @example db.runCursorCommand({ find: 'log', tailable: true, awaitData: true }).setMaxTimeMS(5000);
   */
  setMaxTimeMS(maxTimeMS: number): this {
    return this.set('maxAwaitTimeMS', maxTimeMS);
  }

  /**
   * Throws, because the driver does not create this command.
   * @throws MongoAPIError
   */
  override clone(): never {
    throw new MongoAPIError('The cursor of a command cannot be cloned. Call db.runCursorCommand again.');
  }

  /**
   * Throws: put the read concern into the command.
   * @throws MongoAPIError
   */
  override withReadConcern(): never {
    return ofTheCommand('the read concern');
  }

  /**
   * Throws: put the flag into the command.
   * @throws MongoAPIError
   */
  override addCursorFlag(): never {
    return ofTheCommand('a flag');
  }

  /**
   * Throws: put the field into the command. `setMaxTimeMS` sets that of the getMores.
   * @throws MongoAPIError
   */
  override maxTimeMS(): never {
    return ofTheCommand('maxTimeMS');
  }

  /**
   * Throws: put the field into the command. `setBatchSize` sets that of the getMores.
   * @throws MongoAPIError
   */
  override batchSize(): never {
    return ofTheCommand('batchSize');
  }
}

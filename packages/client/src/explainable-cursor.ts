import type { Document, Operation } from '@tessera/contracts';
import { explain, explainAsCursor } from '@tessera/operations';
import type { OpenCursor, TakeBatch } from '@tessera/operations';
import { AbstractCursor } from './cursor.js';
import { prefetchOf } from './cursor-options.js';
import type { AbstractCursorEvents, AbstractCursorOptions } from './cursor-options.js';
import { explainOptions } from './explain.js';
import type { Explainable, ExplainCommandOptions, ExplainVerbosityLike } from './explain-verbosity.js';
import type { Handle, OperationOptions } from './handle.js';
import { checkOption, checkOptions, explainableOptions, isGiven } from './operation-options.js';
import type { OptionTable } from './operation-options.js';
import { asPromise } from './stack-trace.js';

interface ExplainCallOptions extends Pick<OperationOptions, 'timeoutMS' | 'signal'> {
  /** The time limit of the explanation in milliseconds. */
  maxTimeMS?: number | undefined;
}

const isVerbosity = (given: unknown): given is ExplainVerbosityLike | ExplainCommandOptions =>
  typeof given !== 'object' || (given !== null && 'verbosity' in given);

/** A cursor whose command can be explained. */
export abstract class ExplainableCursor<
  // oxlint-disable-next-line typescript/no-explicit-any -- as in the official driver: documents without a schema
  Schema = any,
  Options extends AbstractCursorOptions & Explainable = AbstractCursorOptions & Explainable,
> extends AbstractCursor<Schema, AbstractCursorEvents, Options> {
  /** Use a method such as `collection.find` instead. */
  constructor(handle: Handle, options: Options) {
    super(handle, options);
    prefetchOf(this.options, false);
  }

  /** The options of the cursor, where libraries look for them. The setters of the cursor change them. */
  get cursorOptions(): Readonly<Options> {
    return this.options;
  }

  /** Returns the command that opens the cursor. */
  protected abstract command<T>(handle: Handle, take: TakeBatch<T>): Operation<T>;

  /**
   * Returns the server's plan for the command. `queryPlanner` does not run the command; `executionStats` and
   * `allPlansExecution`, the default, run it to measure it, but apply no writes.
   * @example const plan = await films.find({ year: 1995 }).explain('queryPlanner');
   */
  explain(verbosity?: ExplainVerbosityLike | ExplainCommandOptions, options?: ExplainCallOptions): Promise<Document>;
  /** Returns the server's plan for the command, with the verbosity `allPlansExecution`. */
  explain(options: ExplainCallOptions): Promise<Document>;
  explain(
    first: ExplainVerbosityLike | ExplainCommandOptions | ExplainCallOptions = true,
    second?: ExplainCallOptions,
  ): Promise<Document> {
    return asPromise(() => {
      const [verbosity, options] = isVerbosity(first) ? [first, second] : [true, first];
      checkOption('explain', verbosity, explainableOptions);
      checkOptions(options);
      const handle = this.handle.withChecked(this.options);
      const limits = { maxTimeMS: options?.maxTimeMS, ...explainOptions(verbosity) };
      const operation = explain(handle, this.command(handle, nothing), limits);
      return handle.run(operation, { ...this.options, ...options });
    });
  }

  /** The names and types of the options, with `explain`. */
  protected override get table(): OptionTable {
    return explainableOptions;
  }

  /** With the option `explain`, the cursor returns the explanation as its only document. */
  protected openCommand(handle: Handle): OpenCursor {
    const given = this.options.explain;
    if (!isGiven(given)) return take => this.command(handle, take);
    const explained = this.command(handle, nothing);
    return take => explainAsCursor(handle, explained, explainOptions(given), take);
  }
}

/** An explained command does not run and has no reply. */
const nothing = (): undefined => undefined;

import type { Document, Operation } from '@tessera/contracts';
import { explain } from '@tessera/operations';
import type { ExplainOptions } from '@tessera/operations';
import type { Handle, OperationOptions } from './handle.js';

/** The verbosity of an explanation. */
export const ExplainVerbosity: Readonly<
  Record<'queryPlanner' | 'queryPlannerExtended' | 'executionStats' | 'allPlansExecution', string>
> = Object.freeze({
  queryPlanner: 'queryPlanner',
  queryPlannerExtended: 'queryPlannerExtended',
  executionStats: 'executionStats',
  allPlansExecution: 'allPlansExecution',
});
/** One of the verbosities of an explanation, such as `executionStats`. */
export type ExplainVerbosity = string;
/** `true` means `allPlansExecution`, and `false` means `queryPlanner`. */
export type ExplainVerbosityLike = ExplainVerbosity | boolean;

/** A verbosity of an explanation with a time limit. */
export interface ExplainCommandOptions {
  /** The amount of information, such as `queryPlanner` or `executionStats`. */
  verbosity: ExplainVerbosity;
  /** The time limit of the explanation in milliseconds. */
  maxTimeMS?: number | undefined;
}

/** Options of operations that can be explained. With `explain`, the result is the explanation. */
export interface Explainable {
  /**
   * Returns the server's plan instead of the operation's result. `queryPlanner` does not run the operation;
   * `executionStats` and `allPlansExecution` run it to measure it, but apply no writes. Default: none.
   */
  explain?: ExplainVerbosityLike | ExplainCommandOptions | undefined;
}

export const explainOptions = (given: ExplainVerbosityLike | ExplainCommandOptions): ExplainOptions => {
  if (typeof given === 'string') return { verbosity: given };
  if (typeof given === 'object') return given;
  return { verbosity: given ? 'allPlansExecution' : 'queryPlanner' };
};

/** Runs the explanation of an operation instead of the operation. */
export const explained = (
  handle: Handle,
  operation: Operation<unknown>,
  options: OperationOptions & Explainable,
): Promise<Document> => handle.run(explain(handle, operation, explainOptions(options.explain ?? true)), options);

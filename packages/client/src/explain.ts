import type { Document, Operation } from '@tessera/contracts';
import { explain } from '@tessera/operations';
import type { ExplainOptions } from '@tessera/operations';
import type { Handle, OperationOptions } from './handle.js';

/** How much an explanation tells. */
export const ExplainVerbosity: Readonly<
  Record<'queryPlanner' | 'queryPlannerExtended' | 'executionStats' | 'allPlansExecution', string>
> = Object.freeze({
  queryPlanner: 'queryPlanner',
  queryPlannerExtended: 'queryPlannerExtended',
  executionStats: 'executionStats',
  allPlansExecution: 'allPlansExecution',
});
export type ExplainVerbosity = string;
/** `true` is `allPlansExecution`, `false` is `queryPlanner`. */
export type ExplainVerbosityLike = ExplainVerbosity | boolean;

export interface ExplainCommandOptions {
  readonly verbosity: ExplainVerbosity;
  /** Of the explanation itself. */
  readonly maxTimeMS?: number | undefined;
}

/** Options of those operations that can be explained instead of being done: the answer is the explanation. */
export interface Explainable {
  readonly explain?: ExplainVerbosityLike | ExplainCommandOptions | undefined;
}

export const explainOptions = (given: ExplainVerbosityLike | ExplainCommandOptions): ExplainOptions => {
  if (typeof given === 'string') return { verbosity: given };
  if (typeof given === 'object') return given;
  return { verbosity: given ? 'allPlansExecution' : 'queryPlanner' };
};

/** Runs the explanation of an operation in its place. */
export const explained = (
  handle: Handle,
  operation: Operation<unknown>,
  options: OperationOptions & Explainable,
): Promise<Document> => handle.run(explain(handle, operation, explainOptions(options.explain ?? true)), options);

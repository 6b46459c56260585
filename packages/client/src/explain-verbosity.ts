/** The verbosity of explanations, and the options that contain one. */

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

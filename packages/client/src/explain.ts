import type { Document, Operation } from '@tessera/contracts';
import { explain } from '@tessera/operations';
import type { ExplainOptions } from '@tessera/operations';
import type { Explainable, ExplainCommandOptions, ExplainVerbosityLike } from './explain-verbosity.js';
import type { Handle, OperationOptions } from './handle.js';

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

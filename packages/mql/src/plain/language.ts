import type { Document } from '@tessera/contracts';
import { evaluateLet, expressionCompiler } from '../agg/compile.js';
import type { Ambience } from '../agg/scope.js';
import type { ProjectionContext } from '../project/projection.js';
import { createCollation } from '../value/collation.js';
import type { Collation } from '../value/compare.js';
import type { Value } from '../value/value.js';
import { docOf } from './value.js';

/** Options of every function that evaluates a query or an expression. */
export interface LanguageOptions {
  /**
   * The order of strings, as the `collation` option of MongoDB's commands: `{ locale: 'en', strength: 2 }`. Default: by
   * bytes.
   */
  readonly collation?: Document | undefined;
  /** Variables of expressions, as the `let` option of MongoDB's commands: `{ limit: 5 }` defines `$$limit`. */
  readonly variables?: Document | undefined;
  /** The current time, for `$$NOW` and `$currentDate`. Without it, expressions that need the time throw. */
  readonly now?: Date | undefined;
  /** Returns a number in [0, 1), for `$rand`, `$sample` and `$sampleRate`. Without it, these throw. */
  readonly random?: (() => number) | undefined;
}

/** The options of a query or an expression, converted to BSON values. */
export interface Language {
  readonly ambience: Ambience;
  readonly variables: ReadonlyMap<string, Value> | undefined;
  readonly collation: Collation | undefined;
  readonly context: ProjectionContext;
}

const noRandom = (): number => {
  throw new TypeError('The expression needs random numbers. Pass the option "random".');
};

/**
 * Converts the options.
 * @throws CommandError for an invalid collation and for variables that cannot be evaluated
 */
export const languageOf = ({ collation: spec, variables: bindings, now, random }: LanguageOptions = {}): Language => {
  const collation = spec && createCollation(docOf(spec));
  const ambience: Ambience = { nowMs: now?.getTime(), random: random ?? noRandom };
  const variables = bindings && evaluateLet(docOf(bindings), { collation }, ambience);
  return {
    ambience,
    variables,
    collation,
    context: { expression: expressionCompiler({ collation, variables }, ambience), collation },
  };
};

import type { CommandError } from '../errors.js';
import { fail } from '../errors.js';
import type { Scripts } from '../script/scripts.js';
import type { Collation } from '../value/compare.js';
import { Doc } from '../value/doc.js';
import type { Value } from '../value/value.js';
import type { Expression } from './expression.js';
import { createNames, requireDefinableName } from './names.js';
import { operatorsFor } from './operators.js';
import { createParser } from './parser.js';
import type { Ambience } from './scope.js';
import { Scope } from './scope.js';

/** The options that affect the meaning of expressions. */
export interface ExpressionContext {
  readonly collation?: Collation | undefined;
  /** The command's `let`, evaluated: see {@link evaluateLet}. */
  readonly variables?: ReadonlyMap<string, Value> | undefined;
  /** Runs scripts. If undefined, `$function` is rejected. */
  readonly scripts?: Scripts | undefined;
  /** Whether a constant expression that fails is compiled, and fails for each document. */
  readonly failsLate?: boolean | undefined;
}

const parseAlone = (spec: Value, context: ExpressionContext): Expression => {
  const deferred: CommandError[] = [];
  const names = createNames(context.variables);
  const parser = createParser(operatorsFor(context.collation), names, deferred, new Set(), context.scripts);
  const expression = parser.operand(spec);
  if (deferred[0] !== undefined && context.failsLate !== true) throw deferred[0];
  return expression;
};

/**
 * Returns a function that compiles expressions for `$expr` and the projections of `find`. It is the `expression` of the
 * contexts of queries and projections.
 * @throws CommandError with MongoDB's codes, also for constant expressions that fail, unless they may fail late
 */
export const expressionCompiler =
  (context: ExpressionContext, ambience: Ambience) =>
  (spec: Value): ((doc: Doc) => Value | undefined) => {
    const { evaluate } = parseAlone(spec, context);
    const scope = new Scope(Doc.EMPTY, [], ambience);
    return doc => {
      scope.root = doc;
      return evaluate(scope);
    };
  };

const refuseFields = (expression: Expression): void => {
  if (expression.kind !== 'path') return;
  throw fail(
    4890500,
    'Command let Expression tried to access a field, but this is not allowed because Command Let expressions run before the query examines any documents.',
  );
};

/**
 * Evaluates the variables of a command's `let`. Their expressions cannot refer to a document.
 * @throws CommandError if an expression is invalid or fails
 */
export const evaluateLet = (
  variables: Doc,
  context: ExpressionContext,
  ambience: Ambience,
): ReadonlyMap<string, Value> => {
  const scope = new Scope(Doc.EMPTY, [], ambience);
  const values = new Map<string, Value>();
  for (const [name, spec] of variables) {
    requireDefinableName(name);
    const expression = parseAlone(spec, context);
    refuseFields(expression);
    values.set(name, expression.evaluate(scope) ?? null);
  }
  return values;
};

import type { Ambience, Collation, Doc, ProjectionContext, QueryContext, Scripts, Value } from '@tessera/mql/engine';
import { createCollation, evaluateLet, expressionCompiler } from '@tessera/mql/engine';
import type { Engine } from './engine.js';

/** The context in which the filters, projections, updates and expressions of one command are compiled. */
export interface Language {
  readonly ambience: Ambience;
  /** The evaluated variables of the command's `let`. */
  readonly variables: ReadonlyMap<string, Value>;
  readonly collation: Collation | undefined;
  readonly scripts: Scripts;
  /** The collation document; undefined for binary comparison. */
  readonly collationSpec: Doc | undefined;
  /** The context for the parsers of queries and projections. */
  readonly context: ProjectionContext;
}

const none: ReadonlyMap<string, Value> = new Map<string, Value>();

/**
 * Returns the language of a command. `$$NOW` is the same throughout the command.
 * @throws CommandError if `let` cannot be evaluated
 */
export const languageOf = (
  engine: Engine,
  bindings: Doc | undefined,
  spec: Doc | undefined,
  indexes: Pick<QueryContext, 'text' | 'geo'> = {},
  scripts: Scripts = engine.scripts,
): Language => {
  const collation = spec === undefined || spec.size === 0 ? undefined : createCollation(spec);
  const ambience: Ambience = {
    nowMs: engine.clock.wallTime(),
    clusterTime: engine.history?.clusterTime,
    random: () => engine.random.unit(),
  };
  const variables = bindings === undefined ? none : evaluateLet(bindings, { collation, scripts }, ambience);
  const expression = expressionCompiler({ collation, variables, scripts }, ambience);
  const collationSpec = collation === undefined ? undefined : spec;
  return {
    ambience,
    variables,
    collation,
    scripts,
    collationSpec,
    context: { expression, where: engine.where, collation, random: ambience.random, ...indexes },
  };
};

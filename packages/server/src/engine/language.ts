import type { Ambience, Collation, Doc, ProjectionContext, QueryContext, Value } from '@tessera/mql/engine';
import { createCollation, evaluateLet, expressionCompiler } from '@tessera/mql/engine';
import type { Engine } from './engine.js';

/** What filters, projections, updates and expressions of one command mean. */
export interface Language {
  readonly ambience: Ambience;
  /** The command's `let`, evaluated. */
  readonly variables: ReadonlyMap<string, Value>;
  readonly collation: Collation | undefined;
  /** The document that says which; absent for the order of bytes. */
  readonly collationSpec: Doc | undefined;
  /** For the compilers of queries and projections. */
  readonly context: ProjectionContext;
}

const none: ReadonlyMap<string, Value> = new Map<string, Value>();

/** One language per command: `$$NOW` is the same throughout. @throws CommandError for a `let` that cannot be evaluated. */
export const languageOf = (
  engine: Engine,
  bindings: Doc | undefined,
  spec: Doc | undefined,
  indexes: Pick<QueryContext, 'text' | 'geo'> = {},
): Language => {
  const collation = spec === undefined || spec.size === 0 ? undefined : createCollation(spec);
  const ambience: Ambience = { nowMs: engine.clock.wallTime(), random: () => engine.random.unit() };
  const variables = bindings === undefined ? none : evaluateLet(bindings, { collation }, ambience);
  const expression = expressionCompiler({ collation, variables }, ambience);
  const collationSpec = collation === undefined ? undefined : spec;
  return {
    ambience,
    variables,
    collation,
    collationSpec,
    context: { expression, where: engine.where, collation, ...indexes },
  };
};

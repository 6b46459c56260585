import { fail } from '../errors.js';
import type { Doc } from '../value/doc.js';
import type { CompileExpression, Dialect } from './specification.js';
import { compileSpecification } from './specification.js';
import type { Project } from './tree.js';

const dialect: Dialect<never> = {
  operator: () => undefined,
  positional: path => {
    if (/\.\$(?:\.|$)/.test(path)) {
      throw fail(31324, 'Cannot use positional projection in aggregation projection');
    }
    return undefined;
  },
};

/**
 * Compiles the specification of a `$project` stage: paths to include or exclude, and computed fields. The caller's
 * `compile` compiles expressions, which receive the `context` of the projection. The caller adds the stage's name to
 * messages.
 * @throws CommandError 51272 if it is empty, 31249, 31250, 31252–31254, 31310, 31324, 31325, 51270 and the errors of
 * expressions
 */
export const compileProjectStage = <C>(spec: Doc, compile: CompileExpression<C>): Project<C> => {
  if (spec.size === 0) throw fail(51272, 'projection specification must have at least one field');
  return compileSpecification(spec, compile, dialect as Dialect<C>);
};

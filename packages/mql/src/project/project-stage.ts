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
 * The specification of a `$project` stage: paths to include or to leave out, and computed fields. The expressions are compiled by
 * the caller and handed the `context` that the projection is called with. The stage puts its own words before the messages.
 * @throws CommandError 51272 if it is empty, 31249, 31250, 31252–31254, 31310, 31324, 31325, 51270 and what expressions throw
 */
export const compileProjectStage = <C>(spec: Doc, compile: CompileExpression<C>): Project<C> => {
  if (spec.size === 0) throw fail(51272, 'projection specification must have at least one field');
  return compileSpecification(spec, compile, dialect as Dialect<C>);
};

import { parseFieldPath } from '../agg/field-path.js';
import { fail } from '../errors.js';
import type { Matcher, QueryContext } from '../query/parse.js';
import { parseQuery } from '../query/parse.js';
import { isTruthy } from '../query/truth.js';
import { Doc } from '../value/doc.js';
import type { Value } from '../value/value.js';
import { isArray, isDoc, isNumber, typeName } from '../value/value.js';
import { pickPosition } from './positional.js';
import { readSlice, refuseSlice, sliceAt } from './slice.js';
import type { Dialect, Special } from './specification.js';
import { compileSpecification } from './specification.js';
import type { Computation } from './tree.js';

/** Dependencies of a projection of `find` and `findAndModify`. */
export interface ProjectionContext extends QueryContext {
  /** Compiles an aggregation expression or a literal. */
  readonly expression: (spec: Value) => (doc: Doc) => Value | undefined;
  /** The filter of the query. A positional `$` computes its position with the filter again. */
  readonly filter?: Doc | undefined;
}

/**
 * A compiled projection. The matcher belongs to the query that found the document; only the positional `$` needs it.
 */
export type Projection = (doc: Doc, matcher?: Matcher) => Doc;

/** A step that runs on a projected document; `original` is the document before the projection. */
type Afterwards = (projected: Doc, original: Doc, matcher: Matcher | undefined) => Doc;

const middle =
  "As of 4.4, it's illegal to specify positional operator in the middle of a path.Positional projection may only be used at the end, for example: a.b.$. If the query previously used a form like a.b.$.d, remove the parts following the '$' and the results will be equivalent.";

const createFindDialect = (context: ProjectionContext, afterwards: Afterwards[]): Dialect<Doc> => {
  let positionals = 0;
  let elemMatches = 0;

  const slice = (parts: readonly string[], argument: Value): Special<Doc> => {
    const found = readSlice(argument);
    if (found !== undefined) {
      afterwards.push(projected => sliceAt(projected, parts, found));
      return { keeps: true, includes: false };
    }
    try {
      return { computation: context.expression(Doc.of([['$slice', argument]])), includes: true };
    } catch (error) {
      return refuseSlice(argument, error);
    }
  };

  const elemMatch = (parts: readonly string[], argument: Value): Special<Doc> => {
    if (!isDoc(argument)) {
      throw fail(31274, `elemMatch: Invalid argument, object required, but got ${typeName(argument)}`);
    }
    if (parts.length > 1) throw fail(31275, 'Cannot use $elemMatch projection on a nested field.');
    if (positionals > 0) throw fail(31255, 'Cannot specify positional operator and $elemMatch.');
    elemMatches += 1;
    const field = parts[0]!;
    const matcher = parseQuery(Doc.of([[field, Doc.of([['$elemMatch', argument]])]]), {
      ...context,
      role: '$elemMatch of a projection',
    });
    const computation: Computation<Doc> = doc => {
      const value = doc.get(field);
      if (!isArray(value) || !matcher.matches(doc)) return undefined;
      return [value[matcher.position(doc)!]!];
    };
    return { computation, includes: false };
  };

  const positional = (path: string, value: Value): { readonly parts: readonly string[] } => {
    if (!path.endsWith('.$') || path.includes('.$.')) throw fail(31394, middle);
    if (isDoc(value)) throw fail(31271, 'positional projection cannot be used with an expression or sub object');
    if ((isNumber(value) || typeof value === 'boolean') && !isTruthy(value)) {
      throw fail(31395, 'positional projection cannot be used with exclusion');
    }
    if (positionals > 0) throw fail(31276, 'Cannot specify more than one positional projection per query.');
    if (elemMatches > 0) throw fail(31256, 'Cannot specify positional operator and $elemMatch.');
    if (path === '.$') throw fail(5392900, `Positional projection cannot be used with an empty path: ${path}`);
    // Rejects operators that need the collection, such as `$where`.
    if (context.filter !== undefined) parseQuery(context.filter, { collation: context.collation });
    positionals += 1;
    const parts = parseFieldPath(path.slice(0, -2));
    afterwards.push((projected, original, matcher) => {
      if (matcher === undefined) {
        throw fail(51050, 'Projections with a positional operator require a matching query');
      }
      return pickPosition(projected, parts, matcher.position(original));
    });
    return { parts };
  };

  return {
    operator: (parts, name, argument) => {
      if (name === '$slice') return slice(parts, argument);
      if (name === '$meta')
        return { computation: context.expression(Doc.of([['$meta', argument]])), adds: true, includes: false };
      return name === '$elemMatch' ? elemMatch(parts, argument) : undefined;
    },
    positional: (path, value) => (/\.\$(?:\.|$)/.test(path) ? positional(path, value) : undefined),
  };
};

/**
 * Compiles the projection of a `find`: inclusion or exclusion, `_id` on its own, paths as dotted names or nested
 * documents, `$slice`, `$elemMatch`, the positional `$`, expressions and literals. An empty specification keeps
 * documents unchanged.
 * @throws CommandError with MongoDB's code and message; when applied, 51246 or 51247 for a positional `$` without a
 * position
 */
export const parseProjection = (spec: Doc, context: ProjectionContext): Projection => {
  if (spec.size === 0) return doc => doc;
  const afterwards: Afterwards[] = [];
  const project = compileSpecification(spec, context.expression, createFindDialect(context, afterwards));
  if (afterwards.length === 0) return doc => project(doc, doc);
  return (doc, matcher) => afterwards.reduce((projected, next) => next(projected, doc, matcher), project(doc, doc));
};

import { parseFieldPath } from '../agg/field-path.js';
import { UnknownExpression, fail } from '../errors.js';
import { isTruthy } from '../query/truth.js';
import type { Doc } from '../value/doc.js';
import { show } from '../value/show.js';
import type { Value } from '../value/value.js';
import { isDoc, isNumber } from '../value/value.js';
import type { Computation, Project } from './tree.js';
import { compileExclusion, compileInclusion } from './tree.js';
import { createTreeBuilder } from './tree-builder.js';

/**
 * Compiles an aggregation expression or a literal.
 * @throws CommandError if the expression is invalid
 */
export type CompileExpression<C> = (spec: Value) => Computation<C>;

/** An operator of a dialect: a computed field, or a later change to a field that stays in place. */
export interface Special<C> {
  readonly computation?: Computation<C>;
  /** Whether the field stays in the document. An inclusion includes it. */
  readonly keeps?: boolean;
  /** Whether the field is added in inclusions and exclusions alike. */
  readonly adds?: boolean;
  /** Whether it makes the projection an inclusion. */
  readonly includes: boolean;
}

/** The syntax that `find` adds to `$project`. */
export interface Dialect<C> {
  /** Compiles an operator such as `{ a: { $slice: 1 } }`. Returns undefined if it is an expression. */
  operator(parts: readonly string[], name: string, argument: Value): Special<C> | undefined;
  /** Compiles a positional projection such as `{ 'a.$': 1 }`. Returns undefined if the path is an ordinary one. */
  positional(path: string, value: Value): { readonly parts: readonly string[] } | undefined;
}

type Mode = 'inclusion' | 'exclusion';

const isFlag = (value: Value): boolean => typeof value === 'boolean' || isNumber(value);

const operatorOf = (value: Doc): string | undefined => {
  const [first] = value.entries();
  return value.size === 1 && first![0].startsWith('$') ? first![0] : undefined;
};

const compileOperator = <C>(name: string, value: Doc, compile: CompileExpression<C>): Computation<C> => {
  try {
    return compile(value);
  } catch (error) {
    const isUnknown = error instanceof UnknownExpression && error.operator === name;
    if (isUnknown && name !== '$elemMatch') throw fail(31325, `Unknown expression ${name}`);
    throw error;
  }
};

/** Reads a specification field by field, in order. `finish` returns the projection. */
const createReader = <C>(compile: CompileExpression<C>, dialect: Dialect<C>) => {
  const builder = createTreeBuilder<C>();
  /** Fields that an inclusion includes and an exclusion ignores. */
  const kept: (readonly string[])[] = [];
  let mode: Mode | undefined;
  let idFlag: boolean | undefined;
  let computes = false;

  const include = (path: string): void => {
    if (mode === 'exclusion') throw fail(31253, `Cannot do inclusion on field ${path} in exclusion projection`);
    mode = 'inclusion';
  };
  const exclude = (path: string): void => {
    if (mode === 'inclusion') throw fail(31254, `Cannot do exclusion on field ${path} in inclusion projection`);
    mode = 'exclusion';
  };

  const flag = (parts: readonly string[], value: Value): void => {
    const path = parts.join('.');
    const on = isTruthy(value);
    if (path === '_id') idFlag = on;
    else if (on) include(path);
    else exclude(path);
    builder.put(parts, 'here');
  };

  const computed = (): void => {
    if (mode === 'exclusion') {
      throw fail(31252, 'Cannot use expression other than $meta in exclusion projection');
    }
    mode = 'inclusion';
  };

  const operator = (parts: readonly string[], name: string, value: Doc): void => {
    const special = dialect.operator(parts, name, value.get(name)!);
    if (special === undefined ? name !== '$meta' : special.includes) computed();
    if (special?.keeps === true) kept.push(parts);
    const computation = special === undefined ? compileOperator(name, value, compile) : special.computation;
    if (computation === undefined) return;
    if (special?.adds !== true) computes = true;
    builder.put(parts, computation);
  };

  const field = (parts: readonly string[], value: Value): void => {
    if (isFlag(value)) return flag(parts, value);
    if (!isDoc(value)) {
      if (mode === 'exclusion') {
        throw fail(31310, `Cannot use an expression ${parts.at(-1)!}: ${show(value)} in an exclusion projection`);
      }
      mode = 'inclusion';
      return builder.put(parts, compile(value));
    }
    if (value.size === 0) {
      throw fail(51270, `An empty sub-projection is not a valid value. Found empty object at path ${parts.join('.')}`);
    }
    const name = operatorOf(value);
    if (name !== undefined) return operator(parts, name, value);
    for (const [below, inner] of value) field([...parts, ...parseFieldPath(below)], inner);
  };

  return {
    read(spec: Doc): void {
      for (const [path, value] of spec) {
        const positional = dialect.positional(path, value);
        if (positional === undefined) field(parseFieldPath(path), value);
        else {
          if (mode === 'exclusion') throw fail(31395, 'positional projection cannot be used with exclusion');
          mode = 'inclusion';
          builder.put(positional.parts, 'here');
        }
      }
    },
    finish(): Project<C> {
      const final: Mode = mode ?? (idFlag === true || computes ? 'inclusion' : 'exclusion');
      if (final === 'inclusion') {
        for (const parts of kept) builder.put(parts, 'here');
        if (idFlag === false) builder.remove('_id');
        else if (!builder.tree.has('_id')) builder.put(['_id'], 'here');
        return compileInclusion(builder.tree);
      }
      if (idFlag === true) builder.remove('_id');
      return compileExclusion(builder.tree);
    },
  };
};

/**
 * Compiles a projection in one of the two dialects. The specification must not be empty.
 * @throws CommandError if the specification is invalid
 */
export const compileSpecification = <C>(spec: Doc, compile: CompileExpression<C>, dialect: Dialect<C>): Project<C> => {
  const reader = createReader(compile, dialect);
  reader.read(spec);
  return reader.finish();
};

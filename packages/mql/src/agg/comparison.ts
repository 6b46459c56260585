import { fail } from '../errors.js';
import type { Collation } from '../value/compare.js';
import { compare } from '../value/compare.js';
import type { Value } from '../value/value.js';
import { isDoc, isNullish, typeName } from '../value/value.js';
import { spend } from '../work/meter.js';
import { isTrue } from './coerce.js';
import type { Expression, Operator, Operators, Parser } from './expression.js';
import { computed } from './expression.js';
import { binary, exactly, namedOperands, operandsOf, unary, variadic } from './operator.js';

const comparisons = (collation: Collation | undefined): readonly (readonly [string, Operator])[] => {
  const compared = (decide: (order: number) => boolean): Operator => binary((a, b) => decide(compare(a, b, collation)));
  return [
    ['$cmp', binary((a, b) => Math.sign(compare(a, b, collation)))],
    ['$eq', compared(order => order === 0)],
    ['$gt', compared(order => order > 0)],
    ['$gte', compared(order => order >= 0)],
    ['$lt', compared(order => order < 0)],
    ['$lte', compared(order => order <= 0)],
    ['$ne', compared(order => order !== 0)],
  ];
};

const and = variadic(operands => scope => operands.every(operand => isTrue(operand.evaluate(scope))));
const or = variadic(operands => scope => operands.some(operand => isTrue(operand.evaluate(scope))));

/** The branch that is not taken is not evaluated, so it cannot fail. */
const choose = (operands: readonly Expression[], parser: Parser): Expression => {
  const [condition, then, otherwise] = operands;
  return parser.fold(operands, scope => (isTrue(condition!.evaluate(scope)) ? then! : otherwise!).evaluate(scope));
};

const condFields = ['if', 'then', 'else'] as const;

const cond: Operator = (spec, parser, name) => {
  if (!isDoc(spec)) return choose(exactly(3, spec, parser, name), parser);
  const named = namedOperands(spec, parser, {
    fields: condFields,
    notObject: () => fail('InternalError', 'unreachable'),
    unknown: field => fail(17083, `Unrecognized parameter to $cond: ${field}`),
  });
  const operands = condFields.map((field, i) => {
    const operand = named.get(field);
    if (operand === undefined) throw fail(17080 + i, `Missing '${field}' parameter to $cond`);
    return operand;
  });
  return choose(operands, parser);
};

const ifNull: Operator = (spec, parser) => {
  const operands = operandsOf(spec, parser);
  if (operands.length < 2) throw fail(1257300, `$ifNull needs at least two arguments, had: ${operands.length}`);
  return parser.fold(operands, scope => {
    let value: Value | undefined;
    for (const operand of operands) {
      value = operand.evaluate(scope);
      if (!isNullish(value)) return value;
    }
    return value;
  });
};

const switchBranch = (branch: Value): { readonly condition: Value; readonly then: Value } => {
  if (!isDoc(branch)) throw fail(40062, `$switch expected each branch to be an object, found: ${typeName(branch)}`);
  for (const key of branch.keys()) {
    if (key !== 'case' && key !== 'then') throw fail(40063, `$switch found an unknown argument to a branch: ${key}`);
  }
  const condition = branch.get('case');
  const then = branch.get('then');
  if (condition === undefined) throw fail(40064, `$switch requires each branch have a 'case' expression`);
  if (then === undefined) throw fail(40065, `$switch requires each branch have a 'then' expression.`);
  return { condition, then };
};

type Branch = readonly [condition: Expression, then: Expression];

/** Returns the branches whose conditions are not constant, and the expression for inputs that match none of them. */
const withoutConstants = (
  branches: readonly Branch[],
  otherwise: Expression | undefined,
): { readonly open: readonly Branch[]; readonly rest: Expression | undefined } => {
  const open: Branch[] = [];
  for (const branch of branches) {
    const [condition, then] = branch;
    if (condition.kind !== 'constant') open.push(branch);
    else if (isTrue(condition.value)) return { open, rest: then };
  }
  return { open, rest: otherwise };
};

const switchOperator: Operator = (spec, parser) => {
  if (!isDoc(spec)) throw fail(40060, `$switch requires an object as an argument, found: ${typeName(spec)}`);
  const branches: Branch[] = [];
  let otherwise: Expression | undefined;
  for (const [key, value] of spec) {
    if (key === 'default') otherwise = parser.operand(value);
    else if (key !== 'branches') throw fail(40067, `$switch found an unknown argument: ${key}`);
    else if (!Array.isArray(value))
      throw fail(40061, `$switch expected an array for 'branches', found: ${typeName(value)}`);
    else {
      let isDecided = false;
      for (const item of value as readonly Value[]) {
        const { condition, then } = switchBranch(item);
        // mongod does not fold the constants of branches that are never reached.
        const before = parser.deferred.length;
        const first = parser.operand(condition);
        const after = isDecided ? before : parser.deferred.length;
        branches.push([first, parser.operand(then)]);
        if (isDecided || (first.kind === 'constant' && !isTrue(first.value))) parser.deferred.length = after;
        else isDecided = first.kind === 'constant';
      }
    }
  }
  if (branches.length === 0) throw fail(40068, '$switch requires at least one branch');
  const { open, rest } = withoutConstants(branches, otherwise);
  if (open.length === 0) {
    if (rest !== undefined) return rest;
    const message = 'Cannot execute a switch statement where all the cases evaluate to false without a default';
    parser.deferred.push(fail(40069, message));
  }
  return computed(scope => {
    spend(open.length >>> 1);
    for (const [condition, then] of open) if (isTrue(condition.evaluate(scope))) return then.evaluate(scope);
    if (rest !== undefined) return rest.evaluate(scope);
    throw fail(40066, '$switch could not find a matching branch for an input, and no default was specified.');
  });
};

/**
 * Returns the operators for comparison, boolean logic and conditionals. Strings are compared by the collation, if there
 * is one.
 */
export const comparisonOperators = (collation: Collation | undefined): Operators =>
  new Map([
    ...comparisons(collation),
    ['$and', and],
    ['$cond', cond],
    ['$ifNull', ifNull],
    ['$not', unary(a => !isTrue(a))],
    ['$or', or],
    ['$switch', switchOperator],
  ]);

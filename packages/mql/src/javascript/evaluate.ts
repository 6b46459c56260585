import type { Budget } from './budget.js';
import { callableOf, memberOf, setMember } from './members.js';
import { isTruthy, numberOf, operate, typeOf } from './operators.js';
import { ScriptArray, ScriptFunction, ScriptObject } from './script-value.js';
import type { ScriptValue } from './script-value.js';
import type {
  BinaryOperator,
  Expression,
  FunctionNode,
  LogicalOperator,
  Statement,
  Target,
  UnaryOperator,
} from './syntax.js';
import { Variables } from './variables.js';

/** The context in which a node is evaluated. */
interface Frame {
  readonly variables: Variables;
  readonly self: ScriptValue;
  readonly budget: Budget;
}

/** The way in which a statement ended early. */
type Completion = { readonly kind: 'return'; readonly value: ScriptValue } | { readonly kind: 'break' | 'continue' };

const within = (frame: Frame): Frame => ({ ...frame, variables: new Variables(frame.variables, false) });

/** Creates the function of a syntax node. */
export const closureOf = (node: FunctionNode, { variables, self: around }: Omit<Frame, 'budget'>): ScriptFunction => {
  const { name, parameters, body, isArrow } = node;
  const made: ScriptFunction = new ScriptFunction(name ?? '', (self, given, budget) => {
    budget.enter();
    const own = new Variables(variables, true);
    if (name !== undefined) own.declare(name, made);
    parameters.forEach((parameter, i) => {
      own.declare(parameter, given[i]);
    });
    const ended = runAll(body, { variables: own, self: isArrow ? around : self, budget });
    budget.leave();
    return ended?.kind === 'return' ? ended.value : undefined;
  });
  return made;
};

/** Declares functions and `var` names before the first statement runs. */
const hoist = (statements: readonly Statement[], frame: Frame): void => {
  for (const statement of statements) {
    if (statement.kind !== 'declare' || statement.how !== 'var') continue;
    for (const { name, value } of statement.declarations) {
      if (value?.kind === 'function' && value.name === name)
        frame.variables.declareVar(name, closureOf(value, frame), true);
    }
  }
};

const runAll = (statements: readonly Statement[], frame: Frame): Completion | undefined => {
  hoist(statements, frame);
  for (const statement of statements) {
    const ended = run(statement, frame);
    if (ended !== undefined) return ended;
  }
  return undefined;
};

const run = (statement: Statement, frame: Frame): Completion | undefined => {
  frame.budget.enter();
  const ended = runHere(statement, frame);
  frame.budget.leave();
  return ended;
};

const runHere = (statement: Statement, frame: Frame): Completion | undefined => {
  switch (statement.kind) {
    case 'expression':
      evaluate(statement.expression, frame);
      return undefined;
    case 'declare':
      for (const { name, value } of statement.declarations) {
        const given = value === undefined ? undefined : evaluate(value, frame);
        if (statement.how === 'var') frame.variables.declareVar(name, given, value !== undefined);
        else frame.variables.declare(name, given, statement.how === 'const');
      }
      return undefined;
    case 'return':
      return { kind: 'return', value: statement.value && evaluate(statement.value, frame) };
    case 'if':
      if (isTruthy(evaluate(statement.test, frame))) return run(statement.yes, frame);
      return statement.no && run(statement.no, frame);
    case 'loop':
      return loop(statement, within(frame));
    case 'block':
      return runAll(statement.statements, within(frame));
    case 'break':
    case 'continue':
      return statement;
  }
};

const loop = (
  { first, test, next, body }: Statement & { readonly kind: 'loop' },
  frame: Frame,
): Completion | undefined => {
  if (first !== undefined) run(first, frame);
  while (test === undefined || isTruthy(evaluate(test, frame))) {
    const ended = run(body, frame);
    if (ended?.kind === 'return') return ended;
    if (ended?.kind === 'break') return undefined;
    if (next !== undefined) evaluate(next, frame);
  }
  return undefined;
};

const evaluate = (node: Expression, frame: Frame): ScriptValue => {
  frame.budget.enter();
  const value = evaluateHere(node, frame);
  frame.budget.leave();
  return value;
};

const evaluateHere = (node: Expression, frame: Frame): ScriptValue => {
  const { variables, budget } = frame;
  switch (node.kind) {
    case 'literal':
      return node.value;
    case 'name':
      return variables.get(node.name);
    case 'this':
      return frame.self;
    case 'array':
      return new ScriptArray(node.items.map(item => evaluate(item, frame)));
    case 'object':
      return ScriptObject.of(node.entries.map(([name, value]) => [name, evaluate(value, frame)]));
    case 'function':
      return closureOf(node, frame);
    case 'unary':
      return unary(node.operator, node.operand, frame);
    case 'binary':
      return operate(node.operator, evaluate(node.left, frame), evaluate(node.right, frame), budget);
    case 'logical': {
      const left = evaluate(node.left, frame);
      return decides(node.operator, left) ? left : evaluate(node.right, frame);
    }
    case 'conditional':
      return evaluate(isTruthy(evaluate(node.test, frame)) ? node.yes : node.no, frame);
    case 'assign':
      return assign(node, frame);
    case 'increment': {
      const place = placeOf(node.target, frame);
      const before = numberOf(place.get(), budget);
      place.set(before + node.by);
      return node.isPrefix ? before + node.by : before;
    }
    case 'member':
      return memberOf(evaluate(node.object, frame), evaluate(node.key, frame), budget);
    case 'call':
      return call(node.callee, node.given, frame);
  }
};

const unary = (operator: UnaryOperator, operand: Expression, frame: Frame): ScriptValue => {
  if (operator === 'typeof' && operand.kind === 'name' && !frame.variables.has(operand.name)) return 'undefined';
  const value = evaluate(operand, frame);
  switch (operator) {
    case '!':
      return !isTruthy(value);
    case '-':
      return -numberOf(value, frame.budget);
    case '+':
      return numberOf(value, frame.budget);
    case 'typeof':
      return typeOf(value);
    case 'void':
      return undefined;
  }
};

/** Returns whether the left operand is the result of a logical operator. */
const decides = (operator: LogicalOperator, left: ScriptValue): boolean => {
  switch (operator) {
    case '&&':
      return !isTruthy(left);
    case '||':
      return isTruthy(left);
    case '??':
      return left !== undefined && left !== null;
  }
};

interface Place {
  get(): ScriptValue;
  set(value: ScriptValue): void;
}

/** Returns the target of an assignment. Its parts are evaluated once. */
const placeOf = (target: Target, frame: Frame): Place => {
  const { variables, budget } = frame;
  if (target.kind === 'name') {
    return {
      get: () => variables.get(target.name),
      set: value => {
        variables.set(target.name, value);
      },
    };
  }
  const object = evaluate(target.object, frame);
  const key = evaluate(target.key, frame);
  return {
    get: () => memberOf(object, key, budget),
    set: value => {
      setMember(object, key, value, budget);
    },
  };
};

const isLogical = (operator: BinaryOperator | LogicalOperator): operator is LogicalOperator =>
  operator === '&&' || operator === '||' || operator === '??';

const assign = ({ operator, target, value }: Expression & { readonly kind: 'assign' }, frame: Frame): ScriptValue => {
  const place = placeOf(target, frame);
  if (operator === undefined) {
    const given = evaluate(value, frame);
    place.set(given);
    return given;
  }
  const before = place.get();
  if (isLogical(operator) && decides(operator, before)) return before;
  const right = evaluate(value, frame);
  const after = isLogical(operator) ? right : operate(operator, before, right, frame.budget);
  place.set(after);
  return after;
};

const call = (callee: Expression, given: readonly Expression[], frame: Frame): ScriptValue => {
  const self = callee.kind === 'member' ? evaluate(callee.object, frame) : undefined;
  const found =
    callee.kind === 'member' ? memberOf(self, evaluate(callee.key, frame), frame.budget) : evaluate(callee, frame);
  const { call: go } = callableOf(found, nameOf(callee));
  return go(
    self,
    given.map(one => evaluate(one, frame)),
    frame.budget,
  );
};

/** Returns the name of a callee for error messages. */
const nameOf = (callee: Expression): string => {
  if (callee.kind === 'name') return callee.name;
  if (callee.kind !== 'member' || callee.key.kind !== 'literal') return 'the called value';
  const owner = callee.object.kind === 'name' ? callee.object.name : callee.object.kind === 'this' ? 'this' : '…';
  return `${owner}.${String(callee.key.value)}`;
};

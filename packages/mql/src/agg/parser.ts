import { CommandError, UnknownExpression, fail } from '../errors.js';
import { Doc } from '../value/doc.js';
import { searchMetaOf } from '../query/metadata.js';
import { lookup } from '../value/path.js';
import { showDoc } from '../value/show.js';
import type { Value } from '../value/value.js';
import { DateValue, isArray, isDoc } from '../value/value.js';
import { isOver, spend } from '../work/meter.js';
import type { Evaluate, Expression, Operators, Parser } from './expression.js';
import { computed, constant } from './expression.js';
import { parseFieldPath, requireFieldName } from './field-path.js';
import type { Scripts } from '../script/scripts.js';
import type { Names } from './names.js';
import { requireReadableName } from './names.js';
import { requireTime, Scope } from './scope.js';

/** The scope of constants, which do not depend on a document. */
const nowhere = new Scope(Doc.EMPTY, [], {
  nowMs: 0,
  random: () => {
    throw fail('InternalError', 'a constant expression requires a random number');
  },
});

const rootPath = (path: readonly string[]): Expression => {
  const [first, second] = path;
  const paths: readonly Evaluate[] = [
    scope => scope.root,
    scope => scope.root.get(first!),
    // A path with two parts is by far the most frequent of the longer ones.
    scope => {
      const outer = scope.root.get(first!);
      return isDoc(outer) ? outer.get(second!) : lookup(outer, path, 1);
    },
  ];
  return { kind: 'path', path, evaluate: paths[path.length] ?? (scope => lookup(scope.root, path)) };
};

const systemVariable = (name: string, path: readonly string[]): Expression | undefined => {
  switch (name) {
    case 'ROOT':
    case 'CURRENT':
      return rootPath(path);
    case 'REMOVE':
      return constant(undefined);
    case 'NOW':
      return computed(path.length > 0 ? () => undefined : scope => new DateValue(requireTime(scope.ambience.nowMs)));
    case 'CLUSTER_TIME':
      return computed(scope => {
        const time = scope.ambience.clusterTime;
        if (time === undefined)
          throw fail(10071200, `System variable CLUSTER_TIME is not available in standalone mode.`);
        return path.length > 0 ? undefined : time;
      });
    case 'SEARCH_META':
      return computed(({ ambience }) => {
        const meta = searchMetaOf(ambience);
        return meta === undefined ? undefined : lookup(meta, path);
      });
    default:
      return undefined;
  }
};

/** Compiles `$$name.path`. */
const variable = (names: Names, name: string, path: readonly string[]): Expression => {
  const binding = names.find(name);
  if (binding?.kind === 'value') return constant(lookup(binding.value, path));
  if (binding === undefined) {
    const system = systemVariable(name, path);
    if (system === undefined) throw fail(17276, `Use of undefined variable: ${name}`);
    return system;
  }
  const { slot } = binding;
  return computed(path.length === 0 ? scope => scope.slots[slot] : scope => lookup(scope.slots[slot], path));
};

/** Compiles `$a.b`, `$$name` and `$$name.a`. */
const parsePath = (text: string, names: Names): Expression => {
  if (text.length === 1) throw fail(16872, `'$' by itself is not a valid FieldPath`);
  if (text[1] !== '$') return variable(names, 'CURRENT', parseFieldPath(text.slice(1)));
  const rest = text.slice(2);
  const dot = rest.indexOf('.');
  const name = dot === -1 ? rest : rest.slice(0, dot);
  requireReadableName(name);
  return variable(names, name, dot === -1 ? [] : parseFieldPath(rest.slice(dot + 1)));
};

const evaluateObject = (fields: readonly (readonly [string, Expression])[]): Evaluate => {
  return scope => {
    const entries: [string, Value][] = [];
    spend(4 * fields.length);
    for (const [key, field] of fields) {
      const value = field.evaluate(scope);
      if (value !== undefined) entries.push([key, value]);
    }
    return Doc.of(entries);
  };
};

/**
 * Creates a parser for expressions. Errors of constant folding are collected in `deferred`, because MongoDB parses a
 * whole pipeline before it folds constants.
 */
export const createParser = (
  operators: Operators,
  names: Names,
  deferred: CommandError[],
  metadata: Set<string>,
  scripts: Scripts | undefined,
): Parser => {
  const self: Parser = {
    names,
    deferred,
    metadata,
    scripts,
    operand: spec => {
      if (typeof spec === 'string') return spec.startsWith('$') ? parsePath(spec, names) : constant(spec);
      if (isDoc(spec)) return parseObject(spec, self, operators);
      if (isArray(spec)) return parseArray(spec, self);
      return constant(spec);
    },
    naming: other => createParser(operators, other, deferred, metadata, scripts),
    fold: (operands, evaluate) => {
      const steps = 1 + operands.length;
      const counted: Evaluate = scope => {
        spend(steps);
        return evaluate(scope);
      };
      if (operands.some(operand => operand.kind !== 'constant')) return computed(counted);
      try {
        return constant(evaluate(nowhere));
      } catch (error) {
        if (!(error instanceof CommandError) || isOver(error)) throw error;
        deferred.push(error);
        return computed(counted);
      }
    },
  };
  return self;
};

const parseArray = (items: readonly Value[], parser: Parser): Expression => {
  const elements = items.map(item => parser.operand(item));
  return parser.fold(elements, scope => elements.map(element => element.evaluate(scope) ?? null));
};

const parseObject = (doc: Doc, parser: Parser, operators: Operators): Expression => {
  const entries = doc.entries();
  const first = entries[0];
  if (first === undefined) return constant(Doc.EMPTY);
  if (!first[0].startsWith('$')) return parseLiteralObject(doc, parser);
  if (entries.length !== 1) {
    throw fail(15983, `An object representing an expression must have exactly one field: ${showDoc(doc)}`);
  }
  const operator = operators.get(first[0]);
  if (operator === undefined) throw new UnknownExpression(first[0]);
  return operator(first[1], parser, first[0]);
};

const parseLiteralObject = (doc: Doc, parser: Parser): Expression => {
  const seen = new Set<string>();
  const fields = doc.entries().map(([key, value]): readonly [string, Expression] => {
    requireFieldName(key);
    if (seen.has(key)) throw fail(16406, `duplicate field name specified in object literal: ${showDoc(doc)}`);
    seen.add(key);
    return [key, parser.operand(value)];
  });
  const folded = parser.fold(
    fields.map(([, field]) => field),
    evaluateObject(fields),
  );
  return folded.kind === 'constant' ? folded : { kind: 'object', fields, evaluate: folded.evaluate };
};

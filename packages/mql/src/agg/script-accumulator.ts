import { fail } from '../errors.js';
import { Program } from '../script/scripts.js';
import { Doc } from '../value/doc.js';
import { show } from '../value/show.js';
import type { Value } from '../value/value.js';
import { isArray, isDoc, typeName } from '../value/value.js';
import { footprint } from '../work/footprint.js';
import type { AccumulatorParser } from './accumulator.js';
import type { Expression, Parser } from './expression.js';
import { constant } from './expression.js';
import { requireScripts, sourceOf } from './script-function.js';

const parts: ReadonlySet<string> = new Set(['init', 'accumulate', 'merge', 'finalize']);

const functionOf = (field: string, spec: Value, parser: Parser): string => {
  const expression = parser.operand(spec);
  if (expression.kind !== 'constant') throw fail(4544701, `$accumulator '${field}' must be a constant expression`);
  const source = sourceOf(expression.value);
  if (source === undefined) throw fail(4544702, `$accumulator '${field}' must be a String or Code`);
  return source;
};

interface Parsed {
  readonly functions: Readonly<Record<string, string>>;
  readonly initArgs: Expression;
  readonly accumulateArgs: Expression;
}

const parsed = (spec: Value, parser: Parser): Parsed => {
  if (!isDoc(spec)) throw fail(4544703, `$accumulator expects an object as an argument; found: ${typeName(spec)}`);
  const functions: Record<string, string> = {};
  let initArgs = constant([]);
  let accumulateArgs: Expression | undefined;
  for (const [field, value] of spec) {
    if (parts.has(field)) functions[field] = functionOf(field, value, parser);
    else if (field === 'initArgs') initArgs = parser.operand(value);
    else if (field === 'accumulateArgs') accumulateArgs = parser.operand(value);
    else if (field !== 'lang') throw fail(4544706, `$accumulator got an unexpected field: ${field}`);
    else if (typeof value !== 'string') {
      throw fail(4544704, `$accumulator lang must be a string; found: ${typeName(value)}`);
    } else if (value !== 'js') throw fail(4544705, "$accumulator only supports lang: 'js'");
  }
  for (const [i, field] of ['init', 'accumulate', 'merge'].entries()) {
    if ((functions[field] ?? '') === '') throw fail(4544707 + i, `$accumulator missing required argument '${field}'`);
  }
  if (accumulateArgs === undefined) throw fail(4544710, "$accumulator missing required argument 'accumulateArgs'");
  return { functions, initArgs, accumulateArgs };
};

const arrayOf = (code: number, field: string, value: Value | undefined): readonly Value[] => {
  if (isArray(value)) return value;
  throw fail(code, `$accumulator ${field} must evaluate to an array: ${value === undefined ? 'MISSING' : show(value)}`);
};

/** Compiles `$accumulator`. Its function `merge` is not called, because no group is split. */
export const scriptAccumulator: AccumulatorParser = (spec, parser, name) => {
  const { functions, initArgs, accumulateArgs } = parsed(spec, parser);
  const program = new Program(requireScripts(parser), { functions });
  const call = (part: string, given: readonly Value[]): Value => program.call(part, Doc.EMPTY, given);
  return {
    n: initArgs,
    start: initial => {
      let state = call('init', arrayOf(4544711, 'initArgs', initArgs.evaluate(initial)));
      let held = 0;
      return {
        add: scope => {
          const given = arrayOf(4544712, 'accumulateArgs', accumulateArgs.evaluate(scope));
          state = call('accumulate', [state, ...given]);
          const size = footprint(state);
          if (size > held) scope.hold(size - held, name, state);
          held = Math.max(held, size);
        },
        result: () => (functions['finalize'] === undefined ? state : call('finalize', [state])),
      };
    },
  };
};

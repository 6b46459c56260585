import { fail } from '../errors.js';
import { Program } from '../script/scripts.js';
import type { Scripts } from '../script/scripts.js';
import { Doc } from '../value/doc.js';
import type { Value } from '../value/value.js';
import { CodeValue, isArray, isDoc, typeName } from '../value/value.js';
import type { Operator, Parser } from './expression.js';
import { computed } from './expression.js';

/** Returns the server's scripts. @throws CommandError 31264 if there is no JavaScript engine */
export const requireScripts = ({ scripts }: Parser): Scripts => {
  if (scripts !== undefined) return scripts;
  throw fail(31264, 'Cannot run server-side javascript without the javascript engine enabled');
};

/** Returns the source of a string or code, or undefined for another value. */
export const sourceOf = (value: Value | undefined): string | undefined =>
  value instanceof CodeValue && value.scope === undefined ? value.code : typeof value === 'string' ? value : undefined;

/** Compiles `$function`. */
export const scriptFunction: Operator = (spec, parser, name) => {
  if (!isDoc(spec)) throw fail(31260, `${name} requires an object as an argument, found: ${typeName(spec)}`);
  const [body, args, lang] = ['body', 'args', 'lang'].map(field => spec.get(field));
  if (body === undefined) throw fail(31261, 'The body function must be specified.');
  const constant = parser.operand(body);
  if (constant.kind !== 'constant') throw fail(31432, 'The body function must be a constant expression');
  const source = sourceOf(constant.value);
  if (source === undefined) throw fail(31262, 'The body function must evaluate to type string or code');
  if (args === undefined) throw fail(31263, 'The args field must be specified.');
  const given = parser.operand(args);
  if (lang === undefined) throw fail(31418, 'The lang field must be specified.');
  if (lang !== 'js') throw fail(31419, "Currently the only supported language specifier is 'js'.");
  const program = new Program(requireScripts(parser), { functions: { body: source } });
  return computed(scope => {
    const list = given.evaluate(scope);
    if (!isArray(list)) throw fail(31266, 'The args field must be of type array');
    return program.call('body', Doc.EMPTY, list);
  });
};

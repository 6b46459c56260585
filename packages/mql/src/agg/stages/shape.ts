import { CommandError, fail } from '../../errors.js';
import { compileProjectStage } from '../../project/project-stage.js';
import { compileAddition, compileExclusion } from '../../project/tree.js';
import { createTreeBuilder, type TreeBuilder } from '../../project/tree-builder.js';
import type { Doc } from '../../value/doc.js';
import { showDoc } from '../../value/show.js';
import type { Value } from '../../value/value.js';
import { isArray, isDoc, typeName } from '../../value/value.js';
import { print } from '../coerce.js';
import type { Expression, Parser } from '../expression.js';
import { parseFieldPath } from '../field-path.js';
import type { Scope } from '../scope.js';
import type { Stage, StageParser } from '../stage.js';
import { mapping } from '../stage.js';

/** Adds the name of the stage to errors. */
const within = <T>(name: string, parse: () => T): T => {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw fail(error.code, `Invalid ${name} :: caused by :: ${error.message}`);
  }
};

export const parseProject: StageParser = (spec, { parser }, name) => {
  if (!isDoc(spec)) throw fail(15969, '$project specification must be an object');
  const project = within(name, () => compileProjectStage<Scope>(spec, value => parser.operand(value).evaluate));
  return [mapping(name, scope => doc => project(doc, scope))];
};

type Additions = TreeBuilder<Scope>;

const put = (builder: Additions, parts: readonly string[], expression: Expression, whole: Doc): void => {
  try {
    builder.put(parts, expression.evaluate);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw fail(
      40176,
      `specification contains two conflicting paths. Cannot specify both '${parts.join('.')}' and a path that begins with it or that it begins with: ${showDoc(whole)}`,
    );
  }
};

const addField = (builder: Additions, parts: readonly string[], value: Value, parser: Parser, whole: Doc): void => {
  if (!isDoc(value)) return put(builder, parts, parser.operand(value), whole);
  const [first] = value.keys();
  if (first === undefined) return put(builder, parts, parser.operand(value), whole);
  if (first.startsWith('$')) {
    if (value.size > 1) {
      throw fail(
        40181,
        `an expression specification must contain exactly one field, the name of the expression. Found ${value.size} fields in ${showDoc(value)}, while parsing object ${showDoc(whole)}`,
      );
    }
    return put(builder, parts, parser.operand(value), whole);
  }
  for (const [key, inner] of value) {
    if (key.includes('.'))
      throw fail(40183, `cannot use dotted field name '${key}' in a sub object: ${showDoc(value)}`);
    addField(builder, [...parts, ...parseFieldPath(key)], inner, parser, whole);
  }
};

export const parseAddFields: StageParser = (spec, { parser }, name) => {
  if (!isDoc(spec)) throw fail(40272, `${name} specification stage must be an object, got ${typeName(spec)}`);
  const add = within(name, () => {
    const builder = createTreeBuilder<Scope>();
    for (const [path, value] of spec) addField(builder, parseFieldPath(path), value, parser, spec);
    return compileAddition(builder.tree);
  });
  return [mapping(name, scope => doc => add(doc, scope))];
};

export const parseUnset: StageParser = (spec, _context, name) => {
  const must = '$unset specification must be a string or an array';
  if (typeof spec !== 'string' && !isArray(spec)) throw fail(31002, must);
  const paths = isArray(spec) ? spec : [spec];
  if (paths.length === 0) throw fail(31119, `${must} with at least one field`);
  const builder = createTreeBuilder<Scope>();
  for (const path of paths) {
    if (typeof path !== 'string') throw fail(31120, `${must} containing only string values`);
    builder.put(parseFieldPath(path), 'here');
  }
  const exclude = compileExclusion(builder.tree);
  return [mapping(name, scope => doc => exclude(doc, scope))];
};

const replacing = (name: string, what: string, root: Expression): Stage =>
  mapping(name, scope => doc => {
    const value = root.evaluate(scope);
    if (isDoc(value)) return value;
    throw fail(
      40228,
      `${what} must evaluate to an object, but resulting value was: ${print(value)}. Type of resulting value: '${typeName(value)}'. Input document: ${print(doc)}`,
    );
  });

export const parseReplaceRoot: StageParser = (spec, { parser }, name) => {
  if (!isDoc(spec)) {
    throw fail(40229, `expected an object as specification for $replaceRoot stage, got ${typeName(spec)}`);
  }
  for (const key of spec.keys()) {
    if (key !== 'newRoot') throw fail('IDLUnknownField', `BSON field '$replaceRoot.${key}' is an unknown field.`);
  }
  const root = spec.get('newRoot');
  if (root === undefined) {
    throw fail('IDLFailedToParse', `BSON field '$replaceRoot.newRoot' is missing but a required field`);
  }
  return [replacing(name, `'newRoot' expression `, parser.operand(root))];
};

export const parseReplaceWith: StageParser = (spec, { parser }, name) => [
  replacing(name, `'replacement document'`, parser.operand(spec)),
];

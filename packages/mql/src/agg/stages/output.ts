import { fail } from '../../errors.js';
import { Doc } from '../../value/doc.js';
import type { Value } from '../../value/value.js';
import { isArray, isDoc, typeName } from '../../value/value.js';
import { withoutPauses } from '../../work/pause.js';
import { print } from '../coerce.js';
import type { Expression } from '../expression.js';
import { parseFieldPath } from '../field-path.js';
import { requireDefinableName } from '../names.js';
import { Scope } from '../scope.js';
import type { Frame, StageContext, StageParser } from '../stage.js';
import type { Target, Terminal, WhenMatched } from '../terminal.js';

const requireKnown = (spec: Doc, name: string, known: readonly string[]): void => {
  for (const key of spec.keys()) {
    if (!known.includes(key)) throw fail('IDLUnknownField', `BSON field '${name}.${key}' is an unknown field.`);
  }
};

const text = (spec: Doc, name: string, field: string): string | undefined => {
  const value = spec.get(field);
  if (value === undefined || typeof value === 'string') return value;
  throw fail(
    'TypeMismatch',
    `BSON field '${name}.${field}' is the wrong type '${typeName(value)}', expected type 'string'`,
  );
};

const requiredText = (spec: Doc, name: string, field: string): string => {
  const value = text(spec, name, field);
  if (value === undefined)
    throw fail('IDLFailedToParse', `BSON field '${name}.${field}' is missing but a required field`);
  return value;
};

const requireCollection = (name: string, collection: string): string => {
  if (collection === '') throw fail('InvalidNamespace', `Invalid ${name} target namespace, an empty collection name`);
  if (!collection.startsWith('system.')) return collection;
  throw name === '$out'
    ? fail(17385, `Can't $out to special collection: ${collection}`)
    : fail(31319, `Cannot ${name} to special collection: ${collection}`);
};

const ending = (name: string, terminal: Terminal): ReturnType<StageParser> => [{ name, terminal, run: input => input }];

export const parseOut: StageParser = (spec, _context, name) => {
  if (typeof spec === 'string') {
    const into: Target = { db: undefined, collection: requireCollection(name, spec) };
    return ending(name, { kind: 'out', into, timeseries: undefined });
  }
  if (!isDoc(spec)) throw fail(16990, `$out only supports a string or object argument, but found ${typeName(spec)}`);
  requireKnown(spec, name, ['coll', 'db', 'timeseries']);
  const timeseries = spec.get('timeseries');
  if (timeseries !== undefined && !isDoc(timeseries)) {
    throw fail(
      'TypeMismatch',
      `BSON field '$out.timeseries' is the wrong type '${typeName(timeseries)}', expected type 'object'`,
    );
  }
  const collection = requireCollection(name, requiredText(spec, name, 'coll'));
  return ending(name, { kind: 'out', into: { db: text(spec, name, 'db'), collection }, timeseries });
};

const readInto = (value: Value | undefined): Target => {
  if (value === undefined) throw fail('IDLFailedToParse', `BSON field '$merge.into' is missing but a required field`);
  if (typeof value === 'string') return { db: undefined, collection: requireCollection('$merge', value) };
  if (!isDoc(value)) {
    throw fail(51178, `$merge 'into' field  must be either a string or an object, but found ${typeName(value)}`);
  }
  requireKnown(value, '$merge.into', ['db', 'coll']);
  const collection = requireCollection('$merge', requiredText(value, '$merge.into', 'coll'));
  const db = text(value, '$merge.into', 'db');
  if (db === '') throw fail('InvalidNamespace', 'Invalid $merge target namespace, an empty database name');
  return { db, collection };
};

const onField = (path: string): string => {
  parseFieldPath(path);
  return path;
};

const readOn = (value: Value | undefined): readonly string[] | undefined => {
  if (value === undefined) return undefined;
  if (typeof value === 'string') return [onField(value)];
  if (!isArray(value)) {
    throw fail(
      51186,
      `$merge 'on' field  must be either a string or an array of strings, but found ${typeName(value)}`,
    );
  }
  if (value.length === 0) throw fail(51187, `If explicitly specifying $merge 'on', must include at least one field`);
  const fields = value.map(field => {
    if (typeof field === 'string') return onField(field);
    throw fail(51134, `$merge 'on' array elements must be strings, but found ${typeName(field)}`);
  });
  const twice = fields.find((field, i) => fields.indexOf(field) !== i);
  if (twice !== undefined) throw fail(31465, `Found a duplicate field '${twice}'`);
  return fields;
};

const modes = ['replace', 'keepExisting', 'merge', 'fail'] as const;
type Mode = (typeof modes)[number];
const insertModes = ['insert', 'discard', 'fail'] as const;
type InsertMode = (typeof insertModes)[number];

const enumeration = <T extends string>(value: Value, field: string, known: readonly T[]): T => {
  const found = known.find(mode => mode === value);
  if (found !== undefined) return found;
  throw fail('BadValue', `Enumeration value '${print(value)}' for field '$merge.${field}' is not a valid value.`);
};

const supported: Readonly<Record<Mode | 'pipeline', readonly InsertMode[]>> = {
  replace: ['insert', 'discard', 'fail'],
  merge: ['insert', 'discard', 'fail'],
  keepExisting: ['insert'],
  fail: ['insert'],
  pipeline: ['insert', 'discard', 'fail'],
};

interface Variable {
  readonly value: Expression;
  readonly slot: number;
}

/**
 * Compiles `whenMatched: [stages]`. The pipeline's input is the existing document; `$$new` and `let` refer to the
 * incoming one.
 */
const parseUpdate = (stages: Value, letSpec: Doc, context: StageContext): WhenMatched => {
  const given = letSpec.has('new') ? letSpec : letSpec.with('new', '$$ROOT');
  if (given.get('new') !== '$$ROOT') {
    throw fail(51273, `'let' may not define a value for the reserved 'new' variable other than '$$ROOT'`);
  }
  const values = given.entries().map(([name, value]) => {
    requireDefinableName(name);
    return context.parser.operand(value);
  });
  const { names, slots } = context.parser.names.with(given.keys());
  const pipeline = context.nested(stages, 'update', names);
  const variables: readonly Variable[] = values.map((value, i) => ({ value, slot: slots[i]! }));
  return (existing, incoming, ambience) => {
    const scope = new Scope(incoming, [], ambience);
    const found = variables.map(({ value }) => value.evaluate(scope));
    variables.forEach(({ slot }, i) => (scope.slots[slot] = found[i]));
    const frame: Frame = { environment: { ...ambience, collection: () => [] }, slots: scope.slots, memory: new Map() };
    const [result] = withoutPauses(pipeline.run([existing], frame));
    return result!;
  };
};

const readLet = (value: Value | undefined): Doc => {
  if (value === undefined) return Doc.EMPTY;
  if (isDoc(value)) return value;
  throw fail('TypeMismatch', `BSON field '$merge.let' is the wrong type '${typeName(value)}', expected type 'object'`);
};

export const parseMerge: StageParser = (spec, context, name) => {
  if (typeof spec !== 'string' && !isDoc(spec)) {
    throw fail('TypeMismatch', `$merge requires a string or object argument, but found ${typeName(spec)}`);
  }
  const options = isDoc(spec) ? spec : Doc.of([['into', spec]]);
  requireKnown(options, name, ['into', 'on', 'let', 'whenMatched', 'whenNotMatched']);
  const into = readInto(options.get('into'));
  const matched = options.get('whenMatched') ?? 'merge';
  const letSpec = readLet(options.get('let'));
  const mode = isArray(matched) ? 'pipeline' : enumeration(matched, 'whenMatched', modes);
  const whenNotMatched = enumeration(options.get('whenNotMatched') ?? 'insert', 'whenNotMatched', insertModes);
  if (mode !== 'pipeline' && letSpec.size > 0) {
    throw fail(51199, `Cannot use 'let' variables with 'whenMatched: ${mode}' mode`);
  }
  if (!supported[mode].includes(whenNotMatched)) {
    throw fail(
      51181,
      `Combination of whenMatched: ${mode}, whenNotMatched: ${whenNotMatched} modes of the $merge stage is not supported`,
    );
  }
  const whenMatched = mode === 'pipeline' ? parseUpdate(matched, letSpec, context) : mode;
  return ending(name, { kind: 'merge', into, on: readOn(options.get('on')), whenMatched, whenNotMatched });
};

import { fail } from '../../errors.js';
import { Doc, type Entry } from '../../value/doc.js';
import { showDoc } from '../../value/show.js';
import type { Value } from '../../value/value.js';
import { isDoc, isNumber } from '../../value/value.js';
import { footprint } from '../../work/footprint.js';
import { isDue, spend } from '../../work/meter.js';
import type { Paced, Pause } from '../../work/pause.js';
import { pause } from '../../work/pause.js';
import type { Accumulator, AccumulatorParser, Gathering } from '../accumulator.js';
import { createAccumulators } from '../accumulators.js';
import type { Expression, Parser } from '../expression.js';
import { KeyMap } from '../key-map.js';
import type { Scope } from '../scope.js';
import type { Frame, Stage, StageContext, StageParser } from '../stage.js';
import { scopeOf } from '../stage.js';

/** A field of the results and its accumulator. */
export interface OutputField {
  readonly name: string;
  readonly gathering: Gathering;
}

const plainAccumulators = createAccumulators(undefined);

const accumulatorNamed = (name: string, { collation }: StageContext): AccumulatorParser => {
  const accumulators = collation === undefined ? plainAccumulators : createAccumulators(collation);
  const found = accumulators.get(name);
  if (found === undefined) throw fail(15952, `unknown group operator '${name}'`);
  return found;
};

/**
 * Compiles a field such as `name: { $accumulator: argument }`.
 * @throws CommandError 40234–40238, 15952
 */
export const parseOutputField = (name: string, spec: Value, context: StageContext): OutputField => {
  if (name.includes('.')) throw fail(40235, `The field name '${name}' cannot contain '.'`);
  if (name.startsWith('$')) throw fail(40236, `The field name '${name}' cannot be an operator name`);
  const [first, second] = isDoc(spec) ? spec.entries() : [];
  if (!first?.[0].startsWith('$')) throw fail(40234, `The field '${name}' must be an accumulator object`);
  if (second !== undefined) {
    throw fail(40238, `The field '${name}' must specify one accumulator: ${showDoc(spec as Doc)}`);
  }
  const [operator, argument] = first;
  return { name, gathering: accumulatorNamed(operator, context)(argument, context.parser, operator) };
};

const parseId = (spec: Value, parser: Parser): Expression => {
  if (isDoc(spec) && spec.size > 0 && !spec.keys()[0]!.startsWith('$')) {
    for (const [, value] of spec) {
      if (isNumber(value) || typeof value === 'boolean') {
        throw fail(17390, '$group does not support inclusion-style expressions');
      }
    }
  }
  return parser.operand(spec);
};

interface Group {
  readonly id: Value;
  readonly accumulators: readonly Accumulator[];
}

/** Returns the group of the scope's document. Calls `make` for the first document of a group. */
type Find = (scope: Scope, make: (id: Value) => Group) => Group;

/** Returns the find function for an `_id` of one field. Null and missing are the same value for it. */
const findByPart = (name: string, value: Expression, context: StageContext): (() => Find) => {
  return () => {
    const groups = new KeyMap<Group>(context.collation);
    return (scope, make) => {
      const key = value.evaluate(scope) ?? null;
      return groups.take(key, () => make(Doc.of([[name, key]])));
    };
  };
};

const findByParts = (fields: readonly (readonly [string, Expression])[], context: StageContext): (() => Find) => {
  const last = fields.length - 1;
  const idOf = (values: readonly (Value | undefined)[]): Doc => {
    const entries: Entry[] = [];
    values.forEach((value, i) => {
      if (value !== undefined) entries.push([fields[i]![0], value]);
    });
    return Doc.of(entries);
  };
  return () => {
    // One nested map per field avoids building a key from all values.
    const root = new KeyMap<unknown>(context.collation);
    return (scope, make) => {
      const values: (Value | undefined)[] = [];
      let level = root;
      for (let i = 0; i < last; i++) {
        const value = fields[i]![1].evaluate(scope);
        values.push(value);
        level = level.take(value, () => new KeyMap<unknown>(context.collation)) as KeyMap<unknown>;
      }
      const value = fields[last]![1].evaluate(scope);
      values.push(value);
      return level.take(value, () => make(idOf(values))) as Group;
    };
  };
};

/** Returns a function that creates a new table of groups for each run. */
const findBy = (id: Expression, context: StageContext): (() => Find) => {
  if (id.kind === 'constant') {
    return () => {
      let only: Group | undefined;
      return (_scope, make) => (only ??= make(id.value ?? null));
    };
  }
  if (id.kind === 'object') {
    const [first] = id.fields;
    return id.fields.length === 1 ? findByPart(...first!, context) : findByParts(id.fields, context);
  }
  return () => {
    const groups = new KeyMap<Group>(context.collation);
    return (scope, make) => {
      const value = id.evaluate(scope) ?? null;
      return groups.take(value, make);
    };
  };
};

/** Creates a result document. A missing result becomes null. */
export const resultDoc = (id: Value, fields: readonly OutputField[], accumulators: readonly Accumulator[]): Doc =>
  Doc.of([['_id', id], ...fields.map(({ name }, i): Entry => [name, accumulators[i]!.result() ?? null])]);

function* grouped(find: Find, fields: readonly OutputField[], input: Paced<Doc>, frame: Frame): Generator<Doc | Pause> {
  const scope = scopeOf(frame);
  scope.bound = frame.environment.allowance?.group;
  const initial = scopeOf(frame);
  const groups: Group[] = [];
  const make = (value: Value): Group => {
    initial.root = isDoc(value) ? value : Doc.EMPTY;
    const group = { id: value, accumulators: fields.map(({ gathering }) => gathering.start(initial)) };
    groups.push(group);
    scope.hold(128 + footprint(value), '$group', value);
    return group;
  };
  for (const doc of input) {
    if (doc === pause) {
      yield pause;
      continue;
    }
    scope.root = doc;
    const { accumulators } = find(scope, make);
    spend(accumulators.length);
    for (let i = 0; i < accumulators.length; i++) accumulators[i]!.add(scope);
  }
  for (const group of groups) {
    if (isDue()) yield pause;
    yield resultDoc(group.id, fields, group.accumulators);
  }
}

const groupStage = (id: Expression, fields: readonly OutputField[], context: StageContext): Stage => {
  const start = findBy(id, context);
  return { name: '$group', run: (input, frame) => grouped(start(), fields, input, frame) };
};

export const parseGroup: StageParser = (spec, context) => {
  if (!isDoc(spec)) throw fail(15947, `a group's fields must be specified in an object`);
  let id: Expression | undefined;
  const fields: OutputField[] = [];
  for (const [name, value] of spec) {
    if (name === '_id') {
      if (id !== undefined) throw fail(15948, `a group's _id may only be specified once`);
      id = parseId(value, context.parser);
    } else fields.push(parseOutputField(name, value, context));
  }
  if (id === undefined) throw fail(15955, 'a group specification must include an _id');
  return [groupStage(id, fields, context)];
};

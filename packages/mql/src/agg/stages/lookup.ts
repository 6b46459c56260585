import { fail } from '../../errors.js';
import { carried } from '../../query/metadata.js';
import { Doc } from '../../value/doc.js';
import { putPlainly } from '../../value/path.js';
import type { Value } from '../../value/value.js';
import { RegexValue, isDoc, typeName } from '../../value/value.js';
import { isDue } from '../../work/meter.js';
import type { Paced, Pause, Pieces } from '../../work/pause.js';
import { pause } from '../../work/pause.js';
import type { Expression } from '../expression.js';
import { parseFieldPath } from '../field-path.js';
import { heldDocuments } from '../held-documents.js';
import { requireDefinableName } from '../names.js';
import { showField } from '../operator.js';
import type { Scope } from '../scope.js';
import type { ForeignTable } from './foreign-table.js';
import { buildTable, elementsAt, findInTable } from './foreign-table.js';
import type { Environment, Frame, NestedPipeline, Stage, StageContext, StageParser } from '../stage.js';
import { scopeOf } from '../stage.js';

const known = ['from', 'localField', 'foreignField', 'as', 'let', 'pipeline'] as const;
type Field = (typeof known)[number];
type Fields = Partial<Record<Field, Value>>;

/** An equality join of a local and a foreign field. */
interface Join {
  readonly local: readonly string[];
  readonly foreign: string;
}

interface Lookup {
  readonly from: string | undefined;
  readonly join: Join | undefined;
  /** The `$documents` stage that takes the place of `from` in a join. */
  readonly documents: NestedPipeline | undefined;
  readonly pipeline: NestedPipeline | undefined;
  /** The expressions of `let` and their slots. */
  readonly variables: readonly { readonly slot: number; readonly value: Expression }[];
  readonly write: (doc: Doc, found: Value) => Doc;
}

const readFields = (spec: Value): Fields => {
  if (!isDoc(spec))
    throw fail('FailedToParse', `the $lookup stage specification must be an object, but found ${typeName(spec)}`);
  if (!spec.has('from') && !spec.has('pipeline'))
    throw fail('FailedToParse', `must specify 'pipeline' when 'from' is empty`);
  const fields: Fields = {};
  for (const [key, value] of spec) {
    if (!known.includes(key as Field))
      throw fail('IDLUnknownField', `BSON field '$lookup.${key}' is an unknown field.`);
    fields[key as Field] = value;
  }
  return fields;
};

const text = (fields: Fields, field: Field): string | undefined => {
  const value = fields[field];
  if (value === undefined || typeof value === 'string') return value;
  throw fail(
    'FailedToParse',
    `$lookup argument '${showField(field, value)}' must be a string, is type ${typeName(value)}`,
  );
};

const readJoin = (fields: Fields): Join | undefined => {
  const local = text(fields, 'localField');
  const foreign = text(fields, 'foreignField');
  if (local === undefined && foreign === undefined) {
    if (fields.pipeline !== undefined) return undefined;
    throw fail(
      'FailedToParse',
      `$lookup requires either 'pipeline' or both 'localField' and 'foreignField' to be specified`,
    );
  }
  if (local === undefined || foreign === undefined) {
    throw fail('FailedToParse', `$lookup requires both or neither of 'localField' and 'foreignField' to be specified`);
  }
  parseFieldPath(foreign);
  return { local: parseFieldPath(local), foreign };
};

const readLet = (value: Value | undefined): Doc => {
  if (value === undefined) return Doc.EMPTY;
  if (isDoc(value)) return value;
  throw fail('TypeMismatch', `BSON field '$lookup.let' is the wrong type '${typeName(value)}', expected type 'object'`);
};

const parse = (spec: Value, context: StageContext): Lookup => {
  const fields = readFields(spec);
  const from = text(fields, 'from');
  const as = text(fields, 'as');
  if (as === undefined) throw fail('IDLFailedToParse', `BSON field '$lookup.as' is missing but a required field`);
  const join = readJoin(fields);
  const variables = readLet(fields.let);
  if (fields.pipeline === undefined && variables.size > 0) {
    throw fail('FailedToParse', `$lookup with a 'let' argument must also specify 'pipeline'`);
  }
  const values = variables.entries().map(([name, value]) => {
    requireDefinableName(name);
    return context.parser.operand(value);
  });
  const { names, slots } = context.parser.names.with(variables.keys());
  const pipeline = fields.pipeline === undefined ? undefined : context.nested(fields.pipeline, '$lookup', names, from);
  if (from !== undefined) context.reads.add(from);
  const documents = pipeline?.stages[0]?.name === '$documents';
  if (from === undefined && !documents) throw fail('FailedToParse', `must specify 'pipeline' when 'from' is empty`);
  const path = parseFieldPath(as);
  const split = from === undefined && join !== undefined ? (fields.pipeline as readonly Value[]) : undefined;
  return {
    from,
    join,
    documents: split && context.nested(split.slice(0, 1), '$lookup', names),
    pipeline: split === undefined ? pipeline : context.nested(split.slice(1), '$lookup', names),
    variables: values.map((value, i) => ({ value, slot: slots[i]! })),
    write: (doc, found) => putPlainly(doc, path, found),
  };
};

/**
 * Returns the join values of a local document: the elements of an array instead of the array, or null if there are
 * none.
 */
const localValues = (doc: Doc, path: readonly string[]): readonly Value[] => {
  const found = elementsAt(doc, path);
  return found.length === 0 ? [null] : found;
};

/** The stage's cache during one run of the whole pipeline. */
interface Memory {
  table?: ForeignTable;
  /** The results of a nested pipeline that does not depend on the local document. */
  results?: readonly Doc[];
}

const findByIndex = (
  environment: Environment,
  from: string,
  path: string,
  values: readonly Value[],
): Paced<Doc> | undefined => {
  const [only] = values;
  // $in would match strings with a regular expression.
  if (values.length > 1 && values.some(value => value instanceof RegexValue)) return undefined;
  const operator = Doc.of([values.length === 1 ? ['$eq', only!] : ['$in', values]]);
  return environment.find?.(from, Doc.of([[path, operator]]));
};

/** A parsed stage. All its runs use the same one. */
interface ParsedLookup {
  readonly lookup: Lookup;
  readonly context: StageContext;
  readonly stage: Stage;
  readonly usesVariables: boolean;
}

const memoryOf = (stage: Stage, frame: Frame): Memory => {
  let memory = frame.memory.get(stage) as Memory | undefined;
  if (memory === undefined) {
    memory = {};
    frame.memory.set(stage, memory);
  }
  return memory;
};

/** Returns the documents that may match a document. */
function* candidates(
  { lookup, context, stage, usesVariables }: ParsedLookup,
  doc: Doc,
  frame: Frame,
): Pieces<Paced<Doc>> {
  const { environment } = frame;
  const { from, join, documents } = lookup;
  if (join === undefined) return [];
  const values = localValues(doc, join.local);
  if (from !== undefined && context.collation === undefined && environment.indexed?.(from, join.foreign) === true) {
    const indexed = findByIndex(environment, from, join.foreign, values);
    if (indexed !== undefined) return indexed;
  }
  const memory: Memory = from === undefined && usesVariables ? {} : memoryOf(stage, frame);
  memory.table ??= yield* buildTable(
    from === undefined ? documents!.run([], frame) : environment.collection(from),
    join.foreign,
    { collation: context.collation, missing: null },
  );
  return findInTable(memory.table, values, context.collation);
}

function* found(parsed: ParsedLookup, doc: Doc, frame: Frame, scope: Scope): Pieces<readonly Doc[]> {
  const { pipeline, variables, join, from } = parsed.lookup;
  if (pipeline === undefined) return yield* heldDocuments(yield* candidates(parsed, doc, frame), '$lookup');
  const values = variables.map(({ value }) => value.evaluate(scope));
  variables.forEach(({ slot }, i) => (frame.slots[slot] = values[i]));
  if (join === undefined) {
    const memory: Memory = parsed.usesVariables ? {} : memoryOf(parsed.stage, frame);
    return (memory.results ??= yield* heldDocuments(
      from === undefined ? pipeline.run([], frame) : pipeline.runOn(from, frame),
      '$lookup',
    ));
  }
  return yield* heldDocuments(pipeline.run(yield* candidates(parsed, doc, frame), frame), '$lookup');
}

function* joinedTo(parsed: ParsedLookup, input: Paced<Doc>, frame: Frame): Generator<Doc | Pause> {
  const scope = scopeOf(frame);
  for (const doc of input) {
    if (doc === pause) {
      yield pause;
      continue;
    }
    if (isDue()) yield pause;
    scope.root = doc;
    yield carried(doc, parsed.lookup.write(doc, yield* found(parsed, doc, frame, scope)));
  }
}

const lookupStage = (lookup: Lookup, context: StageContext): Stage => {
  const usesVariables = lookup.variables.length > 0 || context.parser.names.bound;
  const stage: Stage = {
    name: '$lookup',
    nested: [lookup.documents, lookup.pipeline].flatMap(each => each?.stages ?? []),
    run: (input, frame) => joinedTo(parsed, input, frame),
  };
  const parsed: ParsedLookup = { lookup, context, stage, usesVariables };
  return stage;
};

export const parseLookup: StageParser = (spec, context) => [lookupStage(parse(spec, context), context)];

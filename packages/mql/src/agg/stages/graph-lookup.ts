import { putPlainly } from '../../value/path.js';
import { fail } from '../../errors.js';
import { carried } from '../../query/metadata.js';
import { hashKey } from '../../value/compare.js';
import { Doc } from '../../value/doc.js';
import { toDouble, toLong } from '../../value/numbers.js';
import { show, showDoc } from '../../value/show.js';
import type { Value } from '../../value/value.js';
import { isArray, isDoc, isNumber, typeName } from '../../value/value.js';
import { footprint } from '../../work/footprint.js';
import { isDue } from '../../work/meter.js';
import type { Paced, Pieces } from '../../work/pause.js';
import { pause } from '../../work/pause.js';
import type { Expression } from '../expression.js';
import { parseFieldPath } from '../field-path.js';
import type { Scope } from '../scope.js';
import type { Environment, Frame, Stage, StageContext, StageParser } from '../stage.js';
import { scopeOf } from '../stage.js';
import { compileFilter } from './flow.js';
import type { ForeignTable } from './foreign-table.js';
import { buildTable, elementsAt, findInTable } from './foreign-table.js';

interface GraphLookup {
  readonly from: string;
  readonly startWith: Expression;
  readonly connectFrom: readonly string[];
  readonly connectTo: string;
  /** The maximum number of recursive steps after the first; Infinity if not limited. */
  readonly maxDepth: number;
  readonly passes: ((doc: Doc, scope: Scope) => boolean) | undefined;
  readonly writeDepth: ((doc: Doc, depth: bigint) => Doc) | undefined;
  readonly write: (doc: Doc, found: Value) => Doc;
}

/** The maximum size in bytes of the documents that one search finds. */
const maxBytes = 100 * 1024 * 1024;

const texts = ['from', 'as', 'connectFromField', 'connectToField', 'depthField'];
const known = [...texts, 'startWith', 'maxDepth', 'restrictSearchWithMatch'];

const readDepth = (value: Value | undefined): number => {
  if (value === undefined) return Infinity;
  if (!isNumber(value)) throw fail(40100, `maxDepth must be numeric, found type: ${typeName(value)}`);
  const depth = toLong(value) ?? 0n;
  if (depth < 0n) throw fail(40101, `maxDepth requires a nonnegative argument, found: ${depth}`);
  if (Number(depth) !== toDouble(value)) {
    throw fail(40102, `maxDepth could not be represented as a long long: ${depth}`);
  }
  return Number(depth);
};

const writer = (path: string): ((doc: Doc, value: Value) => Doc) => {
  const parts = parseFieldPath(path);
  return (doc, value) => putPlainly(doc, parts, value);
};

const readFields = (spec: Value): Doc => {
  if (!isDoc(spec)) {
    throw fail('FailedToParse', `the $graphLookup stage specification must be an object, but found ${typeName(spec)}`);
  }
  const from = spec.get('from');
  if (from === undefined) {
    throw fail('FailedToParse', `missing 'from' option to $graphLookup stage specification: ${showDoc(spec)}`);
  }
  if (typeof from !== 'string') {
    throw fail('FailedToParse', `$graphLookup 'from' field must be a string, but found ${typeName(from)}`);
  }
  if (from === '') throw fail('InvalidNamespace', `invalid $graphLookup namespace: ${show(from)}`);
  for (const [key, value] of spec) {
    if (!known.includes(key)) throw fail(40104, `Unknown argument to $graphLookup: ${key}`);
    if (texts.includes(key) && typeof value !== 'string') {
      throw fail(40103, `expected string as argument for ${key}, found: ${typeName(value)}`);
    }
  }
  return spec;
};

const parse = (spec: Value, context: StageContext): GraphLookup => {
  const fields = readFields(spec);
  const text = (name: string): string => (fields.get(name) as string | undefined) ?? '';
  const [from, as, connectFrom, connectTo] = ['from', 'as', 'connectFromField', 'connectToField'].map(text);
  const startWith = fields.get('startWith');
  const maxDepth = readDepth(fields.get('maxDepth'));
  const restriction = fields.get('restrictSearchWithMatch');
  if (restriction !== undefined && !isDoc(restriction)) {
    throw fail(40185, `restrictSearchWithMatch must be an object, found ${typeName(restriction)}`);
  }
  if (as === '' || connectFrom === '' || connectTo === '' || startWith === undefined) {
    throw fail(
      40105,
      "$graphLookup requires 'from', 'as', 'startWith', 'connectFromField', and 'connectToField' to be specified.",
    );
  }
  parseFieldPath(connectTo!);
  context.reads.add(from!);
  return {
    from: from!,
    startWith: context.parser.operand(startWith),
    connectFrom: parseFieldPath(connectFrom!),
    connectTo: connectTo!,
    maxDepth,
    passes: restriction === undefined ? undefined : compileFilter(restriction, context),
    writeDepth: fields.has('depthField') ? writer(text('depthField')) : undefined,
    write: writer(as!),
  };
};

/** Returns the documents that connect to one of the values. */
type Find = (values: readonly Value[]) => Paced<Doc>;

const byIndex =
  (environment: Environment, { from, connectTo }: GraphLookup): Find =>
  values =>
    environment.find!(
      from,
      Doc.of([
        [
          connectTo,
          Doc.of([
            ['$in', values],
            ['$exists', true],
          ]),
        ],
      ]),
    );

const finder = function* (
  stage: Stage,
  lookup: GraphLookup,
  { environment, memory }: Frame,
  context: StageContext,
): Pieces<Find> {
  const { from, connectTo } = lookup;
  const { collation } = context;
  const usesIndex =
    collation === undefined && environment.find !== undefined && environment.indexed?.(from, connectTo) === true;
  if (usesIndex) return byIndex(environment, lookup);
  let table = memory.get(stage) as ForeignTable | undefined;
  if (table === undefined) {
    table = yield* buildTable(environment.collection(from), connectTo, { collation, missing: undefined });
    memory.set(stage, table);
  }
  const found = table;
  return values => findInTable(found, values, collation);
};

/** Searches breadth first. Each document is found once, at its least depth. */
const search = function* (
  lookup: GraphLookup,
  starts: readonly Value[],
  find: Find,
  scope: Scope,
  { collation }: StageContext,
): Pieces<readonly Doc[]> {
  const { from, connectFrom, maxDepth, passes, writeDepth } = lookup;
  const found: Doc[] = [];
  const visited = new Set<string>();
  const searched = new Set<string>();
  let bytes = 0;

  /** Returns the values that have not been searched for. */
  const fresh = (values: readonly Value[]): readonly Value[] =>
    values.filter(value => {
      const key = hashKey(value, collation);
      if (searched.has(key)) return false;
      searched.add(key);
      return true;
    });

  const visit = (doc: Doc, depth: number): readonly Value[] => {
    const id = doc.get('_id');
    if (id === undefined) {
      throw fail(40271, `Documents in the '${from}' namespace must contain an _id for de-duplication in $graphLookup`);
    }
    const key = hashKey(id);
    if (visited.has(key) || passes?.(doc, scope) === false) return [];
    visited.add(key);
    bytes += doc.stored === undefined ? footprint(doc) : doc.byteLength;
    if (bytes >= maxBytes) throw fail(40099, '$graphLookup reached maximum memory consumption');
    found.push(writeDepth === undefined ? doc : writeDepth(doc, BigInt(depth)));
    return fresh(elementsAt(doc, connectFrom));
  };

  let frontier = fresh(starts);
  for (let depth = 0; frontier.length > 0 && depth <= maxDepth; depth++) {
    const next: Value[] = [];
    for (const doc of find(frontier)) {
      if (doc === pause) {
        yield pause;
        continue;
      }
      if (isDue()) yield pause;
      for (const value of visit(doc, depth)) next.push(value);
    }
    frontier = next;
  }
  return found;
};

/** Returns the values to start from. The elements of an array are separate values; a missing value gives none. */
const startsOf = (value: Value | undefined): readonly Value[] => {
  if (value === undefined) return [];
  return isArray(value) ? value : [value];
};

export const parseGraphLookup: StageParser = (spec, context, name) => {
  const lookup = parse(spec, context);
  const stage: Stage = {
    name,
    *run(input, frame) {
      const scope = scopeOf(frame);
      const inner = scopeOf(frame);
      for (const doc of input) {
        if (doc === pause) {
          yield pause;
          continue;
        }
        scope.root = doc;
        const starts = startsOf(lookup.startWith.evaluate(scope));
        const find = yield* finder(stage, lookup, frame, context);
        yield carried(doc, lookup.write(doc, yield* search(lookup, starts, find, inner, context)));
      }
    },
  };
  return [stage];
};

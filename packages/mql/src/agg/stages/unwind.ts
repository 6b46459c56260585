import { fail } from '../../errors.js';
import { compileExclusion } from '../../project/tree.js';
import { createTreeBuilder } from '../../project/tree-builder.js';
import { carried } from '../../query/metadata.js';
import type { Doc } from '../../value/doc.js';
import { lookupPlainly, putPlainly } from '../../value/path.js';
import type { Value } from '../../value/value.js';
import { isArray, isDoc, isNullish, typeName } from '../../value/value.js';
import { isDue } from '../../work/meter.js';
import type { Paced, Pause } from '../../work/pause.js';
import { pause } from '../../work/pause.js';
import { parseFieldPath } from '../field-path.js';
import type { StageParser } from '../stage.js';

interface Unwind {
  readonly path: readonly string[];
  readonly indexPath: readonly string[] | undefined;
  /** Whether documents without elements are kept. */
  readonly preserve: boolean;
}

const optionNames = ['path', 'includeArrayIndex', 'preserveNullAndEmptyArrays'];

const parseOptions = (spec: Value): ReadonlyMap<string, Value> => {
  if (typeof spec === 'string') return new Map(spec === '' ? [] : [['path', spec]]);
  if (!isDoc(spec)) {
    throw fail(
      15981,
      `expected either a string or an object as specification for $unwind stage, got ${typeName(spec)}`,
    );
  }
  for (const key of spec.keys()) {
    if (!optionNames.includes(key)) throw fail(28811, `unrecognized option to $unwind stage: ${key}`);
  }
  return new Map(spec);
};

const indexPathOf = (value: Value | undefined): readonly string[] | undefined => {
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || value === '') {
    throw fail(
      28810,
      `expected a non-empty string for the includeArrayIndex  option to $unwind stage, got ${typeName(value)}`,
    );
  }
  if (value.startsWith('$')) {
    throw fail(28822, `includeArrayIndex option to $unwind stage should not be prefixed with a '$': ${value}`);
  }
  return parseFieldPath(value);
};

const read = (spec: Value): Unwind => {
  const options = parseOptions(spec);
  const path = options.get('path');
  const preserve = options.get('preserveNullAndEmptyArrays') ?? false;
  if (path !== undefined && typeof path !== 'string') {
    throw fail(28808, `expected a string as the path for $unwind stage, got ${typeName(path)}`);
  }
  if (typeof preserve !== 'boolean') {
    throw fail(
      28809,
      `expected a boolean for the preserveNullAndEmptyArrays option to $unwind stage, got ${typeName(preserve)}`,
    );
  }
  const indexPath = indexPathOf(options.get('includeArrayIndex'));
  if (path === undefined || path === '') throw fail(28812, 'no path specified to $unwind stage');
  if (!path.startsWith('$')) throw fail(28818, `path option to $unwind stage should be prefixed with a '$': ${path}`);
  return { path: parseFieldPath(path.slice(1)), indexPath, preserve };
};

type Write = (doc: Doc, value: Value) => Doc;

/** Returns a function that sets a value at a path of nested documents. */
const writer =
  (path: readonly string[]): Write =>
  (doc, value) =>
    putPlainly(doc, path, value);

const remover = (path: readonly string[]): ((doc: Doc) => Doc) => {
  const builder = createTreeBuilder<undefined>();
  builder.put(path, 'here');
  const exclude = compileExclusion(builder.tree);
  return doc => exclude(doc, undefined);
};

/** The arguments of the stage, and functions made from them. */
interface Unwinding extends Unwind {
  readonly write: Write;
  readonly remove: (doc: Doc) => Doc;
  readonly withIndex: (doc: Doc, index: number | null) => Doc;
}

function* elementsOf({ path, preserve, write, remove, withIndex }: Unwinding, doc: Doc): Generator<Doc | Pause> {
  const value = lookupPlainly(doc, path);
  if (!isArray(value)) {
    if (!isNullish(value) || preserve) yield carried(doc, withIndex(doc, null));
    return;
  }
  if (value.length === 0) {
    if (preserve) yield carried(doc, withIndex(remove(doc), null));
    return;
  }
  for (let i = 0; i < value.length; i++) {
    if (isDue()) yield pause;
    yield carried(doc, withIndex(write(doc, value[i]!), i));
  }
}

function* unwound(unwind: Unwinding, input: Paced<Doc>): Generator<Doc | Pause> {
  for (const doc of input) {
    if (doc === pause) yield pause;
    else yield* elementsOf(unwind, doc);
  }
}

export const parseUnwind: StageParser = (spec, _context, name) => {
  const { path, indexPath, preserve } = read(spec);
  const write = writer(path);
  const remove = remover(path);
  const writeIndex = indexPath === undefined ? undefined : writer(indexPath);
  const withIndex = (doc: Doc, index: number | null): Doc =>
    writeIndex === undefined ? doc : writeIndex(doc, index === null ? null : BigInt(index));

  const unwind: Unwinding = { path, indexPath, preserve, write, remove, withIndex };
  return [{ name, run: input => unwound(unwind, input) }];
};

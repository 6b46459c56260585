import { CommandError, fail } from '../../errors.js';
import { compileAddition } from '../../project/tree.js';
import { createTreeBuilder } from '../../project/tree-builder.js';
import { carried } from '../../query/metadata.js';
import type { Sort } from '../../sort/sort.js';
import { parseSort } from '../../sort/sort.js';
import { sortDocs } from '../../sort/sort-docs.js';
import { compare } from '../../value/compare.js';
import type { Doc } from '../../value/doc.js';
import type { Value } from '../../value/value.js';
import { isArray, isDoc, typeName } from '../../value/value.js';
import { footprint } from '../../work/footprint.js';
import { isDue } from '../../work/meter.js';
import type { Paced, Pieces } from '../../work/pause.js';
import { pause } from '../../work/pause.js';
import type { Expression } from '../expression.js';
import { parseFieldPath } from '../field-path.js';
import { heldDocuments } from '../held-documents.js';
import { KeyMap } from '../key-map.js';
import type { Frame, Stage, StageContext, StageParser } from '../stage.js';
import { scopeOf } from '../stage.js';
import { Partition } from '../window/partition.js';
import type { Results, WindowFunction } from '../window/sliding.js';
import { parseWindowFunction } from '../window/window-functions.js';

interface Output {
  readonly path: readonly string[];
  readonly compute: WindowFunction;
}

const known = ['partitionBy', 'sortBy', 'output'];

const arrayPartition = (): Error =>
  fail('TypeMismatch', 'An expression used to partition cannot evaluate to value of type array');

const requireObject = (spec: Doc, field: string): Doc | undefined => {
  const value = spec.get(field);
  if (value === undefined || isDoc(value)) return value;
  throw fail(
    'TypeMismatch',
    `BSON field '$setWindowFields.${field}' is the wrong type '${typeName(value)}', expected type 'object'`,
  );
};

const readOutputs = (output: Doc, sort: Sort | undefined, { parser, collation }: StageContext): readonly Output[] => {
  const builder = createTreeBuilder<undefined>();
  return output.entries().map(([name, spec]) => {
    const path = parseFieldPath(name);
    try {
      builder.put(path, 'here');
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      throw fail(6307900, "$setWindowFields 'output' specification contains two conflicting paths");
    }
    if (!isDoc(spec)) throw fail('FailedToParse', `The field '${name}' must be an object`);
    return { path, compute: parseWindowFunction(spec, { parser, collation, sort }) };
  });
};

/** Sorts documents by partition, so that those of a partition are adjacent. */
const partitioned = function* (
  input: Paced<Doc>,
  partitionBy: Expression | undefined,
  frame: Frame,
  { collation }: StageContext,
): Pieces<readonly (readonly Doc[])[]> {
  if (partitionBy === undefined) return [yield* heldDocuments(input, '$setWindowFields')];
  const scope = scopeOf(frame);
  scope.bound = frame.environment.allowance?.sort;
  const found: { readonly key: Value; readonly docs: Doc[] }[] = [];
  const byKey = new KeyMap<Doc[]>(collation);
  for (const doc of input) {
    if (doc === pause) {
      yield pause;
      continue;
    }
    scope.root = doc;
    scope.hold(footprint(doc), '$setWindowFields', doc);
    const key = partitionBy.evaluate(scope) ?? null;
    if (isArray(key)) throw arrayPartition();
    byKey
      .take(key, () => {
        const docs: Doc[] = [];
        found.push({ key, docs });
        return docs;
      })
      .push(doc);
  }
  return found.sort((a, b) => compare(a.key, b.key, collation)).map(({ docs }) => docs);
};

/** The results for one output document, in the order of the fields. */
type Computed = readonly (Value | undefined)[];

const windowStage = (
  name: string,
  partitionBy: Expression | undefined,
  sort: Sort | undefined,
  outputs: readonly Output[],
  context: StageContext,
): Stage => {
  const builder = createTreeBuilder<Computed>();
  outputs.forEach(({ path }, i) => {
    builder.put(path, computed => computed[i]);
  });
  const write = compileAddition(builder.tree);
  return {
    name,
    *run(input, frame) {
      for (const docs of yield* partitioned(input, partitionBy, frame, context)) {
        const inOrder =
          sort === undefined ? docs : yield* sortDocs(docs, sort, { bound: frame.environment.allowance?.sort });
        const partition = new Partition(inOrder, scopeOf(frame));
        const results: readonly Results[] = outputs.map(({ compute }) => compute.over(partition));
        for (let i = 0; i < partition.docs.length; i++) {
          if (isDue()) yield pause;
          const doc = partition.docs[i]!;
          yield carried(
            doc,
            write(
              doc,
              results.map(result => result(i)),
            ),
          );
        }
      }
    },
  };
};

export const parseSetWindowFields: StageParser = (spec, context, name) => {
  if (!isDoc(spec)) {
    throw fail('FailedToParse', `the $setWindowFields stage specification must be an object, found ${typeName(spec)}`);
  }
  for (const key of spec.keys()) {
    if (!known.includes(key))
      throw fail('IDLUnknownField', `BSON field '$setWindowFields.${key}' is an unknown field.`);
  }
  const sortBy = requireObject(spec, 'sortBy');
  const output = requireObject(spec, 'output');
  if (output === undefined) {
    throw fail('IDLFailedToParse', "BSON field '$setWindowFields.output' is missing but a required field");
  }
  const by = spec.get('partitionBy');
  const partitionBy = by === undefined ? undefined : context.parser.operand(by);
  const sort = sortBy === undefined ? undefined : parseSort(sortBy, { collation: context.collation });
  const outputs = readOutputs(output, sort, context);
  if (partitionBy?.kind === 'constant' && isArray(partitionBy.value)) throw arrayPartition();
  return [windowStage(name, partitionBy?.kind === 'constant' ? undefined : partitionBy, sort, outputs, context)];
};

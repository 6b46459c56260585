import { fail } from '../../errors.js';
import { Doc } from '../../value/doc.js';
import type { Value } from '../../value/value.js';
import { isArray, isDoc, typeName } from '../../value/value.js';
import { paced } from '../../work/pause.js';
import { showField } from '../operator.js';
import type { StageContext, StageParser } from '../stage.js';
import { scopeOf } from '../stage.js';

const requireDocs = (value: Value | undefined): readonly Doc[] => {
  if (!isArray(value)) throw fail(5858203, 'an array is expected');
  return value.map(item => {
    if (isDoc(item)) return item;
    throw fail(40228, `'newRoot' expression  must evaluate to an object, but resulting value was: ${typeName(item)}`);
  });
};

/** Compiles `$documents`. */
export const parseDocuments: StageParser = (spec, { parser }, name) => {
  const documents = parser.operand(spec);
  if (documents.kind === 'constant' && !isArray(documents.value)) throw fail(5858203, 'an array is expected');
  return [
    {
      name,
      first: true,
      *run(_input, frame) {
        yield* paced(requireDocs(documents.evaluate(scopeOf(frame))));
      },
    },
  ];
};

const statistics = ['count', 'storageStats', 'latencyStats', 'queryExecStats'];

export const parseCollStats: StageParser = (spec, { from }, name) => {
  if (!isDoc(spec)) throw fail(40166, `$collStats must take a nested object but found: ${showField(name, spec)}`);
  for (const [key, value] of spec) {
    if (!statistics.includes(key)) throw fail('IDLUnknownField', `BSON field '$collStats.${key}' is an unknown field.`);
    if (!isDoc(value)) {
      throw fail(
        'TypeMismatch',
        `BSON field '$collStats.${key}' is the wrong type '${typeName(value)}', expected type 'object'`,
      );
    }
  }
  return [
    {
      name,
      first: true,
      *run(_input, { environment }) {
        if (environment.collStats === undefined) {
          throw fail('CommandNotSupported', '$collStats is not supported here');
        }
        yield environment.collStats(spec, from);
      },
    },
  ];
};

const readUnion = (spec: Value): { readonly coll: string | undefined; readonly pipeline: Value | undefined } => {
  if (typeof spec === 'string') return { coll: spec, pipeline: undefined };
  if (!isDoc(spec)) {
    throw fail(
      'FailedToParse',
      `the $unionWith stage specification must be an object or string, but found ${typeName(spec)}`,
    );
  }
  for (const key of spec.keys()) {
    if (key !== 'coll' && key !== 'pipeline') {
      throw fail('IDLUnknownField', `BSON field '$unionWith.${key}' is an unknown field.`);
    }
  }
  const coll = spec.get('coll');
  if (coll !== undefined && typeof coll !== 'string') {
    throw fail(
      'TypeMismatch',
      `BSON field '$unionWith.coll' is the wrong type '${typeName(coll)}', expected type 'string'`,
    );
  }
  return { coll, pipeline: spec.get('pipeline') };
};

export const parseUnionWith: StageParser = (spec, context: StageContext, name) => {
  const { coll, pipeline } = readUnion(spec);
  const nested = context.nested(pipeline ?? [], '$unionWith', undefined, coll);
  if (coll === undefined && nested.stages[0]?.name !== '$documents') {
    throw fail(
      'FailedToParse',
      '$unionWith stage without explicit collection must have a pipeline with $documents as first stage',
    );
  }
  if (coll !== undefined) context.reads.add(coll);
  return [
    {
      name,
      nested: nested.stages,
      *run(input, frame) {
        yield* input;
        yield* coll === undefined ? nested.run([], frame) : nested.runOn(coll, frame);
      },
    },
  ];
};

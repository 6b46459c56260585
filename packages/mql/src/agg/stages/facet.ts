import { fail } from '../../errors.js';
import { Doc, type Entry } from '../../value/doc.js';
import { show } from '../../value/show.js';
import type { Value } from '../../value/value.js';
import { isArray, isDoc, typeName } from '../../value/value.js';
import { paced } from '../../work/pause.js';
import { requireFieldName } from '../field-path.js';
import { heldDocuments } from '../held-documents.js';
import { showField } from '../operator.js';
import type { NestedPipeline, StageParser } from '../stage.js';

const requireStages = (name: string, value: Value): void => {
  if (!isArray(value)) throw fail(40170, `arguments to $facet must be arrays, ${name} is type ${typeName(value)}`);
  for (const stage of value) {
    if (isDoc(stage) && stage.size > 0) continue;
    throw fail(
      40171,
      `elements of arrays in $facet spec must be non-empty objects, ${name} argument contained an element of type ${typeName(stage)}: ${show(stage)}`,
    );
  }
};

export const parseFacet: StageParser = (spec, context, name) => {
  if (!isDoc(spec) || spec.size === 0) {
    throw fail(40169, `the $facet specification must be a non-empty object, but found: ${showField(name, spec)}`);
  }
  const facets = spec.entries().map(([field, stages]): readonly [string, NestedPipeline] => {
    requireFieldName(field);
    requireStages(field, stages);
    return [field, context.nested(stages, '$facet')];
  });
  return [
    {
      name,
      *run(input, frame) {
        const docs = yield* heldDocuments(input, name);
        const fields: Entry[] = [];
        for (const [field, pipeline] of facets)
          fields.push([field, yield* heldDocuments(pipeline.run(paced(docs), frame), name)]);
        yield Doc.of(fields);
      },
    },
  ];
};

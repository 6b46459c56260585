import type { Document, Filter, UpdateFilter, WithoutId } from '@tessera/contracts';
import { parseTransform } from '../agg/pipeline.js';
import { parseQuery } from '../query/parse.js';
import { parseUpdate } from '../update/update.js';
import { isDoc, TimestampValue } from '../value/value.js';
import type { LanguageOptions } from './language.js';
import { languageOf } from './language.js';
import { docOf, plainOf, valueOf } from './value.js';

/** Options of {@link update}. */
export interface UpdateOptions<Schema = Document> extends LanguageOptions {
  /** The filter that found the document; the positional operator `$` needs it. */
  readonly filter?: Filter<Schema> | undefined;
  /** Conditions on the identifiers in `$[name]`: `[{ 'name.score': { $gt: 5 } }]`. */
  readonly arrayFilters?: readonly Document[] | undefined;
  /** Whether the document is about to be inserted by an upsert, so that `$setOnInsert` applies. Default: false. */
  readonly insert?: boolean | undefined;
}

/**
 * Applies an update to a document and returns the result. The update has the form that `updateOne` or `replaceOne`
 * takes: operators, an array of pipeline stages, or a replacement. The given document is not changed; it is returned
 * itself if the update changes nothing.
 * @throws CommandError with mongod's code and message if the update is invalid or cannot be applied to the document
 */
export const update = <Schema extends Document = Document>(
  document: Schema,
  change: UpdateFilter<NoInfer<Schema>> | WithoutId<NoInfer<Schema>> | readonly Document[],
  { filter, arrayFilters, insert = false, ...options }: UpdateOptions<NoInfer<Schema>> = {},
): Schema => {
  const { ambience, context, collation, variables } = languageOf(options);
  const spec = valueOf(change);
  if (!isDoc(spec) && !Array.isArray(spec)) throw new TypeError('An update must be a document or an array of stages.');
  const updater = parseUpdate(spec, {
    ...context,
    arrayFilters: arrayFilters?.map(docOf),
    pipeline: stages => {
      const transform = parseTransform(stages, { collation, variables });
      return doc => transform(doc, ambience);
    },
  });
  const doc = docOf(document);
  const updated = updater.apply(doc, {
    matcher: filter && parseQuery(docOf(filter), context),
    insert,
    nowMs: ambience.nowMs,
    nowTimestamp: new TimestampValue(Math.floor((ambience.nowMs ?? 0) / 1000), 1),
    stamp: undefined,
  });
  return plainOf(updated) as Schema;
};

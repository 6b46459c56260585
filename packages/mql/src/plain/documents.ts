import type { Document, Filter } from '@tessera/contracts';
import { parsePipeline } from '../agg/pipeline.js';
import { parseProjection } from '../project/projection.js';
import { parseQuery } from '../query/parse.js';
import { parseSort } from '../sort/sort.js';
import { sortDocs } from '../sort/sort-docs.js';
import { createCollation } from '../value/collation.js';
import { compare as compareValues } from '../value/compare.js';
import type { Doc } from '../value/doc.js';
import { inOneGo, withoutPauses } from '../work/pause.js';
import type { LanguageOptions } from './language.js';
import { languageOf } from './language.js';
import { docOf, plainOf, valueOf } from './value.js';

/** Options of {@link aggregate}. */
export interface AggregateOptions extends LanguageOptions {
  /** The documents of other collections, by name, for `$lookup`, `$graphLookup` and `$unionWith`. */
  readonly collections?: Readonly<Record<string, Iterable<Document>>> | undefined;
}

/** Options of {@link project}. */
export interface ProjectOptions<Schema = Document> extends LanguageOptions {
  /** The filter that found the document; the positional projection `'field.$'` needs it. */
  readonly filter?: Filter<Schema> | undefined;
}

function* docsOf(documents: Iterable<Document>): Generator<Doc> {
  for (const document of documents) yield docOf(document);
}

/**
 * Runs an aggregation pipeline over documents and returns the results. A document that the pipeline leaves unchanged is returned
 * itself; every other result is a new object.
 * @throws CommandError with mongod's code and message for an invalid pipeline
 * @throws TypeError for `$out` and `$merge`, which write
 */
export const aggregate = <Result extends Document = Document>(
  documents: Iterable<Document>,
  pipeline: readonly Document[],
  { collections = {}, ...options }: AggregateOptions = {},
): Result[] => {
  const { ambience, collation, variables } = languageOf(options);
  const parsed = parsePipeline(pipeline.map(docOf), { collation, variables });
  if (parsed.terminal !== undefined)
    throw new TypeError(
      `aggregate() does not support the stage $${parsed.terminal.kind}, which writes to a collection. Remove the stage.`,
    );
  const results = parsed.run(docsOf(documents), {
    ...ambience,
    collection: name => (Object.hasOwn(collections, name) ? docsOf(collections[name]!) : []),
  });
  return Array.from(withoutPauses(results), plainOf) as Result[];
};

/**
 * Returns documents in the order of a sort, as `cursor.sort` takes it: `{ age: -1, name: 1 }`. Documents with equal keys keep their order.
 * @throws CommandError with mongod's code and message for an invalid sort
 */
export const sort = <Schema extends Document>(
  documents: Iterable<Schema>,
  order: Document,
  options?: LanguageOptions,
): Schema[] => {
  const parsed = parseSort(docOf(order), { collation: languageOf(options).collation });
  return inOneGo(sortDocs(docsOf(documents), parsed)).map(plainOf) as Schema[];
};

/**
 * Returns a document with the fields that a projection of `find` keeps or computes.
 * @throws CommandError with mongod's code and message for an invalid projection
 */
export const project = <Schema extends Document>(
  document: Schema,
  projection: Document,
  { filter, ...options }: ProjectOptions<NoInfer<Schema>> = {},
): Document => {
  const { context } = languageOf(options);
  return plainOf(
    parseProjection(docOf(projection), context)(
      docOf(document),
      filter === undefined ? undefined : parseQuery(docOf(filter), context),
    ),
  );
};

/**
 * Compares two values by MongoDB's order of BSON types: negative if `a` comes first, 0 if they are equal, positive otherwise.
 * A missing value (`undefined`) comes before every other one but MinKey.
 */
export const compare = (a: unknown, b: unknown, { collation }: Pick<LanguageOptions, 'collation'> = {}): number => {
  const [left, right] = [a, b].map(value => (value === undefined ? undefined : valueOf(value)));
  return compareValues(left, right, collation && createCollation(docOf(collation)));
};

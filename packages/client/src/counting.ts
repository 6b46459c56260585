/** Functions that count a collection's documents and find its distinct values. */
import type { Document } from '@tessera/contracts';
import { count, distinct } from '@tessera/operations';
import type { CountOptions, DistinctOptions } from './collection-types.js';
import { explained } from './explain.js';
import { commandFields } from './handle.js';
import type { Handle } from './handle.js';
import { isGiven } from './operation-options.js';

const defined = (fields: Readonly<Record<string, unknown>>): Document =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => isGiven(value)));

/** Returns the pipeline that counts documents. Rule: CRUD, "countDocuments". */
export const countingPipeline = (
  filter: Document,
  { skip, limit }: Pick<CountOptions, 'skip' | 'limit'>,
): readonly Document[] => {
  const pipeline: Document[] = [{ $match: filter }];
  if (typeof skip === 'number') pipeline.push({ $skip: skip });
  if (typeof limit === 'number') pipeline.push({ $limit: limit });
  pipeline.push({ $group: { _id: 1, n: { $sum: 1 } } });
  return pipeline;
};

/** Runs the command `count`. Without a query the server uses the collection's metadata. */
export const countByCommand = (
  base: Handle,
  query: Document | undefined,
  given: CountOptions | null | undefined,
): Promise<number> => {
  const options = given ?? {};
  const handle = base.with(options);
  const { skip, limit, hint, collation } = options;
  const fields = defined(query === undefined ? { collation } : { query, skip, limit, hint, collation });
  const operation = count(handle, { ...fields, ...commandFields(options) }, options.rawData);
  return handle.run(operation, options, undefined, query === undefined ? 'estimatedDocumentCount' : 'count');
};

/** Runs `distinct`, or explains it. Rule: CRUD, "distinct". */
export const distinctValues = (
  base: Handle,
  key: string,
  query: Document,
  given: DistinctOptions | null | undefined,
): Promise<unknown> => {
  const options = given ?? {};
  const handle = base.withExplainable(options);
  const { collation, hint, rawData } = options;
  const fields = { ...defined({ collation, hint }), ...commandFields(options) };
  const operation = distinct(handle, key, query, fields, rawData);
  return isGiven(options.explain) ? explained(handle, operation, options) : handle.run(operation, options);
};

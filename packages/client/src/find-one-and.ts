/** The methods of a collection that change a document and return it. */
import { FindAndModify } from '@tessera/operations';
import type { FindAndModifyOptions, FindAndModifyReply } from '@tessera/operations';
import type { FindOneAndUpdateOptions, ModifyResult } from './collection-types.js';
import { explained } from './explain.js';
import type { Handle } from './handle.js';
import { modifiedDocument, modifyResult } from './results.js';
import { sortDocument } from './sort.js';
import type { WithId } from './types/documents.js';
import { isGiven } from './operation-options.js';

/** Removes the options that the server rejects with `remove`. */
const ofUpdates = ({
  returnDocument,
  upsert,
  bypassDocumentValidation,
  arrayFilters,
}: FindOneAndUpdateOptions): Omit<FindAndModifyOptions, 'query'> => ({
  new: returnDocument === 'after' ? true : undefined,
  upsert: upsert === true ? true : undefined,
  ...{ bypassDocumentValidation, arrayFilters },
});

/** Runs findAndModify. Rule: CRUD, "findOneAndDelete", "findOneAndReplace" and "findOneAndUpdate". */
export const findOneAnd = <Schema>(
  base: Handle,
  method: 'findOneAndDelete' | 'findOneAndReplace' | 'findOneAndUpdate',
  what: Pick<FindAndModifyOptions, 'query' | 'remove' | 'update'>,
  options: FindOneAndUpdateOptions,
): Promise<ModifyResult<Schema> | WithId<Schema> | null> => {
  const handle = base.withExplainable(options);
  const { sort, projection, collation, hint, comment } = options;
  const command = new FindAndModify(handle, {
    ...what,
    sort: sortDocument(sort),
    fields: projection,
    ...(what.remove === true ? {} : ofUpdates(options)),
    ...{ collation, hint, comment },
    let: options.let,
    maxTimeMS: options.maxTimeMS,
    rawData: options.rawData,
  });
  if (isGiven(options.explain)) return explained(handle, command, options) as Promise<never>;
  const shape = options.includeResultMetadata === true ? modifyResult<Schema> : modifiedDocument<Schema>;
  return handle.run<FindAndModifyReply | undefined, ReturnType<typeof shape>>(command, options, shape, method);
};

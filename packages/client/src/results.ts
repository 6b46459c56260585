/** Converts replies to the results of a collection's methods. The reply to an unacknowledged findAndModify is undefined. */
import type { Document } from '@tessera/contracts';
import type { FindAndModifyReply, WriteReply } from '@tessera/operations';
import type { DeleteResult, InsertOneResult, ModifyResult, UpdateResult } from './collection-types.js';
import { MongoServerError } from './errors.js';
import { withFailedFields } from './failed-validation.js';
import type { InferIdType, WithId } from './types/documents.js';

/** Returns the reply. @throws MongoServerError if it contains a write error */
const checked = (reply: WriteReply): WriteReply => {
  const error = reply.errors[0];
  if (error === undefined) return reply;
  throw new MongoServerError({ ...error, message: withFailedFields(error.errmsg, error) }, { response: { ...error } });
};

export const insertOneResult = <Schema>(reply: WriteReply, document: Document): InsertOneResult<Schema> => {
  checked(reply);
  return { acknowledged: reply.acknowledged, insertedId: document['_id'] as InferIdType<Schema> };
};

/** Returns a count, undefined if unacknowledged: mongoose takes 0 for a document that does not exist. */
const counted = ({ acknowledged }: WriteReply, count: number): number =>
  acknowledged ? count : (undefined as unknown as number);

export const updateResult = <Schema>(reply: WriteReply): UpdateResult<Schema> => {
  const { n, nModified, upserted } = checked(reply);
  return {
    acknowledged: reply.acknowledged,
    modifiedCount: counted(reply, nModified),
    upsertedId: (upserted[0]?._id ?? null) as InferIdType<Schema> | null,
    upsertedCount: upserted.length,
    matchedCount: counted(reply, n - upserted.length),
  };
};

export const deleteResult = (reply: WriteReply): DeleteResult => ({
  acknowledged: reply.acknowledged,
  deletedCount: counted(reply, checked(reply).n),
});

export const modifiedDocument = <Schema>(reply: FindAndModifyReply | undefined): WithId<Schema> | null =>
  (reply?.value ?? null) as WithId<Schema> | null;

export const modifyResult = <Schema>(reply: FindAndModifyReply | undefined): ModifyResult<Schema> => ({
  value: modifiedDocument<Schema>(reply),
  lastErrorObject: reply?.lastErrorObject ?? {},
  ok: 1,
});

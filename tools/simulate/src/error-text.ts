import { MongoError } from '@tessera/contracts';

/** Kind, code and message of anything that was thrown. */
export const errorText = (error: unknown): string => {
  if (!MongoError.is(error)) return error instanceof Error ? `${error.name}: ${error.message}` : typeof error;
  return `${error.kind}${error.code === undefined ? '' : ` ${error.code}`}: ${error.message}`;
};

import { MongoInvalidArgumentError } from '@tessera/client';
import { expect } from 'vitest';

/** The message of the MongoInvalidArgumentError that is thrown, which must be one; undefined if nothing is thrown. */
export const rejection = (run: () => unknown): string | undefined => {
  try {
    run();
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(MongoInvalidArgumentError);
    return (error as Error).message;
  }
};

/** The message of the MongoInvalidArgumentError with which a call fails; any other error as it is. */
export const failed = async (run: () => unknown): Promise<unknown> => {
  try {
    await run();
    return 'nothing was thrown';
  } catch (error) {
    return error instanceof MongoInvalidArgumentError ? error.message : error;
  }
};

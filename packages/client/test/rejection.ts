import { MongoInvalidArgumentError } from '@tessera/client';
import { expect } from 'vitest';

/**
 * Returns the message of the MongoInvalidArgumentError that the function throws, or undefined if it throws nothing.
 * Other errors fail the test.
 */
export const rejection = (run: () => unknown): string | undefined => {
  try {
    run();
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(MongoInvalidArgumentError);
    return (error as Error).message;
  }
};

/** Returns the message of the MongoInvalidArgumentError that the call rejects with, or any other error itself. */
export const failed = async (run: () => unknown): Promise<unknown> => {
  try {
    await run();
    return 'nothing was thrown';
  } catch (error) {
    return error instanceof MongoInvalidArgumentError ? error.message : error;
  }
};

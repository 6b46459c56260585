import type { Version } from '@tessera/mql/engine';
import { CommandError, fail, isAtLeast } from '@tessera/mql/engine';
import { isRetryable } from '../repl/state-change.js';

/**
 * Further resumable codes: codes of a mongos with outdated routing information,
 * FailedToSatisfyReadPreference, and RetryChangeStream.
 */
const besides: ReadonlySet<number> = new Set([63, 133, 150, 234, 13388]);

/**
 * Adds the label for resumable errors. Rule: Change Streams, "Resumable Error": servers add it from 4.4 on, unless the
 * error already has labels.
 */
export const asResumable = (error: unknown, version: Version): unknown => {
  if (!(error instanceof CommandError) || error.labels !== undefined || !isAtLeast(version, '4.4')) return error;
  if (!isRetryable(error.code) && !besides.has(error.code)) return error;
  return new CommandError(error.code, error.message, error.extra, ['ResumableChangeStreamError']);
};

/** Returns an error after which a stream cannot be resumed, with mongod's label. */
export const fatal = (code: 'ChangeStreamFatalError' | 'ChangeStreamHistoryLost', message: string): CommandError =>
  fail(code, message, [], ['NonResumableChangeStreamError']);

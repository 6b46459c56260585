import type { Version } from '@tessera/mql/engine';
import { CommandError, fail, isAtLeast } from '@tessera/mql/engine';
import { isRetryable } from '../repl/state-change.js';

/** What a mongos may say that does not know of a change in the cluster, and FailedToSatisfyReadPreference, RetryChangeStream. */
const besides: ReadonlySet<number> = new Set([63, 133, 150, 234, 13388]);

/** Rule: Change Streams, "Resumable Error": a server adds the label from 4.4 on, unless the error has labels of its own. */
export const asResumable = (error: unknown, version: Version): unknown => {
  if (!(error instanceof CommandError) || error.labels !== undefined || !isAtLeast(version, '4.4')) return error;
  if (!isRetryable(error.code) && !besides.has(error.code)) return error;
  return new CommandError(error.code, error.message, error.extra, ['ResumableChangeStreamError']);
};

/** What no resuming helps against; mongod says so. */
export const fatal = (code: 'ChangeStreamFatalError' | 'ChangeStreamHistoryLost', message: string): CommandError =>
  fail(code, message, [], ['NonResumableChangeStreamError']);

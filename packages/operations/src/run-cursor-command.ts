import type { Document, Operation, Selection } from '@tessera/contracts';
import { Command } from './command.js';
import { readCursor } from './find.js';
import type { TakeBatch } from './find.js';
import type { Target } from './target.js';

/** Returns a user's own command that opens a cursor; it is sent unchanged. Rule: Run Command, "runCursorCommand". */
export const runCursorCommand = <T>(
  target: Target,
  command: Document,
  selection: Selection,
  take: TakeBatch<T>,
): Operation<T> =>
  new Command(target, command, {
    kind: 'either',
    retryable: false,
    selection,
    concern: 'none',
    read: (reply, attempt) => take(readCursor(reply, 'firstBatch'), attempt),
  });

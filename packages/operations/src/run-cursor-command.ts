import type { Document, Operation, Selection } from '@tessera/contracts';
import { Command } from './command.js';
import { readCursor } from './find.js';
import type { TakeBatch } from './find.js';
import type { Target } from './target.js';

/** A user's own command that answers a cursor, as it is. Rule: Run Command, "runCursorCommand". */
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

import type { Millis } from '@tessera/contracts';
import type { ServerSessionId } from './types/documents.js';

/** The state of a session on the server, at the time when it was read from {@link ClientSession.serverSession}. */
export class ServerSession {
  /** The session id that commands send: `{ id: UUID }`. */
  readonly id: ServerSessionId;
  /** The number of the last transaction or retryable write. */
  readonly txnNumber: number;
  /** When the session was last used, in milliseconds since an arbitrary start. Use it only for differences. */
  readonly lastUse: Millis;
  /** Whether a network error occurred during a command of the session. */
  readonly isDirty: boolean;

  /** Use the property `serverSession` of a session instead. */
  constructor(id: ServerSessionId, txnNumber: number, lastUse: Millis, isDirty: boolean) {
    this.id = id;
    this.txnNumber = txnNumber;
    this.lastUse = lastUse;
    this.isDirty = isDirty;
  }
}

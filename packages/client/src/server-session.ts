import type { Clock, Millis } from '@tessera/contracts';
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

  readonly #clock: Pick<Clock, 'now'> | undefined;

  /** Use the property `serverSession` of a session instead. */
  constructor(id: ServerSessionId, txnNumber: number, lastUse: Millis, isDirty: boolean, clock?: Pick<Clock, 'now'>) {
    this.#clock = clock;
    this.id = id;
    this.txnNumber = txnNumber;
    this.lastUse = lastUse;
    this.isDirty = isDirty;
  }
  /** Returns whether the server may have ended the unused session: at most one minute is left of the timeout in minutes. */
  hasTimedOut(sessionTimeoutMinutes: number): boolean {
    const idle = ((this.#clock?.now() ?? this.lastUse) - this.lastUse) / 60_000;
    return Math.round(idle) > sessionTimeoutMinutes - 1;
  }
}

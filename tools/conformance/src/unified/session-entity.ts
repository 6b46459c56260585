import type { ClientSession } from '@tessera/client';
import type { Document } from '@tessera/contracts';

/** A session entity. Its lsid remains available after the session has ended. */
export class SessionEntity {
  readonly session: ClientSession;
  /** The name of the session's client. */
  readonly client: string;
  #lsid: Document | undefined;

  constructor(session: ClientSession, client: string) {
    this.session = session;
    this.client = client;
  }

  get lsid(): Document {
    return (this.#lsid ??= this.session.id);
  }

  async end(): Promise<void> {
    if (!this.session.hasEnded) this.#lsid ??= this.session.id;
    await this.session.endSession();
  }
}

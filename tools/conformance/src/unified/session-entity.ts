import type { ClientSession } from '@tessera/client';
import type { Document } from '@tessera/contracts';

/** A session, whose id is known when it has ended, too. */
export class SessionEntity {
  readonly session: ClientSession;
  /** The name of its client. */
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

import { MongoError } from '@tessera/contracts';
import type { Attempt, BodyWriter, Exchange, Operation, Reply } from '@tessera/contracts';
import type { ExplicitSession } from './explicit-session.js';

/** The exchange of every command in a snapshot session, also of commands that the server rejects. Rule: Snapshot Reads. */
export class InSnapshot implements Exchange {
  readonly #session: ExplicitSession;

  constructor(session: ExplicitSession) {
    this.#session = session;
  }

  append(writer: BodyWriter, attempt: Attempt, operation: Operation<unknown>): void {
    const session = this.#session;
    if (attempt.connection.hello.maxWireVersion < 13)
      throw new MongoError(
        'usage',
        `Snapshot reads require MongoDB 5.0 or later, but the server at ${attempt.server.address} is older. Start a session without snapshot.`,
      );
    session.identify(writer, attempt, operation);
    session.appendClusterTime(writer, attempt);
  }

  received(reply: Reply): void {
    this.#session.received(reply);
    this.#session.receivedInSnapshot(reply);
  }
}

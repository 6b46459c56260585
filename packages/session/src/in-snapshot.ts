import { MongoError } from '@tessera/contracts';
import type { Attempt, BodyWriter, Exchange, Operation, Reply } from '@tessera/contracts';
import type { ExplicitSession } from './explicit-session.js';

/**
 * What every command of a snapshot session bears, also those that the server will refuse for it.
 * Rule: Snapshot Reads, "Sending readConcern to the server on all commands".
 */
export class InSnapshot implements Exchange {
  private readonly session: ExplicitSession;

  constructor(session: ExplicitSession) {
    this.session = session;
  }

  append(writer: BodyWriter, attempt: Attempt, operation: Operation<unknown>): void {
    const { session } = this;
    if (attempt.connection.hello.maxWireVersion < 13)
      throw new MongoError(
        'usage',
        `Snapshot reads require MongoDB 5.0 or later, which ${attempt.server.address} is not; start a session without snapshot.`,
      );
    session.identify(writer, attempt, operation);
    const { snapshotTime } = session;
    const time = snapshotTime === undefined ? {} : { atClusterTime: snapshotTime };
    writer.value('readConcern', { level: 'snapshot', ...operation.readConcern, ...time });
    session.gossip(writer, attempt);
  }

  heard(reply: Reply): void {
    this.session.heard(reply);
    this.session.heardInSnapshot(reply);
  }
}

/** What a cursor does once it is there: it stays in the snapshot that it was opened in, and bears no read concern. */
export const followsCursor = ({ role }: Operation<unknown>): boolean =>
  role === 'continuesCursor' || role === 'killsCursor';

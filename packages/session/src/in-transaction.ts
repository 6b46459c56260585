import type { Attempt, BodyWriter, Exchange, Operation, Reply } from '@tessera/contracts';
import type { ExplicitSession } from './explicit-session.js';

/** The exchange of every command in a transaction. Rule: Transactions, "Constructing commands within a transaction". */
export class InTransaction implements Exchange {
  readonly #session: ExplicitSession;

  constructor(session: ExplicitSession) {
    this.#session = session;
  }

  append(writer: BodyWriter, attempt: Attempt, operation: Operation<unknown>): void {
    const session = this.#session;
    session.identify(writer, attempt, operation);
    writer.int64('txnNumber', session.txnNumber);
    // Also for a retry of the first command, which the server rejected before it started the transaction.
    if (session.transaction.is === 'starting') {
      session.pinTo(attempt);
      writer.value('startTransaction', true);
    }
    writer.value('autocommit', false);
    session.appendClusterTime(writer, attempt);
  }

  received(reply: Reply, _attempt: Attempt, operation: Operation<unknown>): void {
    this.#session.received(reply);
    this.#session.receivedInTransaction(reply, operation);
  }
}

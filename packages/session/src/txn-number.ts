import { MongoError } from '@tessera/contracts';
import type { Attempt, BodyWriter, Exchange, Operation, Reply } from '@tessera/contracts';
import { supportsSessions } from './session.js';
import type { SessionState } from './session.js';

/**
 * The exchange of one retryable write. All its attempts have the same txnNumber, so that the server executes it once. Rule: Retryable Writes, "Generating Transaction IDs".
 */
export class NumberedWrite implements Exchange {
  readonly #session: SessionState;
  /** 0 until the first attempt on a server that supports retryable writes. */
  #txnNumber = 0;

  constructor(session: SessionState) {
    this.#session = session;
  }

  append(writer: BodyWriter, attempt: Attempt, operation: Operation<unknown>): void {
    const isIdentified = this.#session.identify(writer, attempt, operation);
    if (isIdentified && supportsRetryableWrites(attempt)) {
      if (this.#txnNumber === 0) this.#txnNumber = this.#session.nextTxnNumber();
      writer.int64('txnNumber', this.#txnNumber);
    } else if (this.#txnNumber !== 0) throw cannotRetry(operation, attempt);
    this.#session.appendClusterTime(writer, attempt);
  }

  received(reply: Reply): void {
    this.#session.received(reply);
  }
}

/** Returns whether the server supports retryable writes. Rule: Retryable Writes, "Supported Server Versions". */
const supportsRetryableWrites = (attempt: Attempt): boolean =>
  attempt.server.type !== 'Standalone' && supportsSessions(attempt);

const cannotRetry = (operation: Operation<unknown>, attempt: Attempt): MongoError =>
  new MongoError(
    'usage',
    `${operation.name} cannot be retried on ${attempt.server.address}, because this server does not support retryable writes.`,
  );

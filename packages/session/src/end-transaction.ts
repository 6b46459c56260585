import { isRetryableOverload, writeConcernError } from '@tessera/contracts';
import type { Attempt, BodyWriter, Document, Operation, Reply, Selection } from '@tessera/contracts';
import type { Reached } from './transaction.js';

/** So that a commit that is repeated does not wait for a majority for ever. */
const longestWait = 10_000;

/** One for all: its identity is what selections are remembered by. */
const primary: Selection = { mode: 'primary' };

/** commitTransaction or abortTransaction. Rule: Transactions, "Server Commands". */
export class EndTransaction implements Operation<void> {
  readonly name: 'commitTransaction' | 'abortTransaction';
  readonly role: 'commitsTransaction' | 'abortsTransaction';
  readonly db = 'admin';
  readonly kind = 'write';
  readonly retryable = 'always';
  readonly selection: Selection = primary;
  readonly answer = 'one';
  private readonly reached: Reached;
  private readonly needsMajority: boolean;

  /** @param needsMajority it is a repetition: an earlier commitTransaction may have done it. */
  constructor(name: 'commitTransaction' | 'abortTransaction', reached: Reached, needsMajority: boolean) {
    this.name = name;
    this.role = name === 'commitTransaction' ? 'commitsTransaction' : 'abortsTransaction';
    this.reached = reached;
    this.needsMajority = needsMajority;
  }

  body(writer: BodyWriter, attempt: Attempt): void {
    const { recoveryToken, options } = this.reached;
    writer.int32(this.name, 1);
    const isLimited = attempt.deadline !== Infinity;
    // A limit of the whole operation is told by whoever holds it.
    if (this.role === 'commitsTransaction' && options.maxCommitTimeMS !== undefined && !isLimited)
      writer.value('maxTimeMS', options.maxCommitTimeMS);
    const own = isLimited ? withoutLimit(options.writeConcern) : options.writeConcern;
    const writeConcern = this.isRepeated(attempt) ? sure(own, isLimited) : own;
    if (writeConcern !== undefined) writer.value('writeConcern', writeConcern);
    if (recoveryToken !== undefined) writer.elements(recoveryToken);
    writer.fields({ $db: this.db });
  }

  read(reply: Reply): void {
    if (!reply.has('writeConcernError')) return;
    throw writeConcernError(reply.document());
  }

  /** A server that was too busy has done nothing. Rule: Transactions, "Interaction with Client Backpressure". */
  private isRepeated({ failures }: Attempt): boolean {
    if (this.role === 'abortsTransaction') return false;
    return this.needsMajority || failures.some(failure => !isRetryableOverload(failure));
  }
}

/** Rule: Transactions, "writeConcern for commitTransaction attempts". */
const sure = (writeConcern: Document | undefined, isLimited: boolean): Document => {
  const majority = { ...writeConcern, w: 'majority' };
  return 'wtimeout' in majority || isLimited ? majority : { ...majority, wtimeout: longestWait };
};

/** Rule: Client Side Operations Timeout: timeoutMS counts in place of wtimeoutMS. */
const withoutLimit = (writeConcern: Document | undefined): Document | undefined => {
  if (writeConcern === undefined || !('wtimeout' in writeConcern)) return writeConcern;
  const rest = Object.entries(writeConcern).filter(([name]) => name !== 'wtimeout');
  return rest.length === 0 ? undefined : Object.fromEntries(rest);
};

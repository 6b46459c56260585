import type { Entry, Value } from '@tessera/mql/engine';
import { Doc, fail, isDoc, show } from '@tessera/mql/engine';
import type { Call, SessionKey } from '@tessera/server/parts';
import { transientTransactionError } from '@tessera/server/parts';
import type { Shard } from './shard.js';

/** The newest transaction of a session, as one mongos knows it. */
export interface RoutedTransaction {
  readonly txnNumber: bigint;
  /** The read concern of the first statement on each shard. */
  readonly readConcern: Value | undefined;
  /** The shards that take part, and whether the transaction wrote there. */
  readonly participants: Map<Shard, { wrote: boolean }>;
  /** The shard that records the outcome: the first shard that the transaction wrote to. */
  recovery: Shard | undefined;
  /** Whether the commit is decided. Further commits only wait for the shards that wrote. */
  isDecided: boolean;
}

/** Returns whether the command belongs to a multi-statement transaction. */
export const isInTransaction = ({ body }: Call): boolean => body.get('autocommit') === false;

/** Returns a name of the command's transaction that is unique in the cluster. */
export const nameOf = ({ session, generic: { txnNumber } }: Call): string => `${session} ${txnNumber}`;

/**
 * Returns `{ recoveryShardId }`, with which another mongos can recover the outcome. It is empty if nothing was written.
 */
export const recoveryToken = ({ recovery }: RoutedTransaction): Entry => [
  'recoveryToken',
  recovery === undefined ? Doc.EMPTY : Doc.of([['recoveryShardId', recovery.name]]),
];

/** The number of transactions below which ended sessions are not searched for. */
const fewest = 1_000;

/** The transactions of the sessions that use one mongos. */
export class RoutedTransactions {
  readonly #newest = new Map<SessionKey, RoutedTransaction>();
  /** The number of transactions at which those of ended sessions are removed. */
  #most = fewest;

  /** Returns the transaction of a command, or undefined if the command's transaction did not start on this mongos. */
  find({ session, generic: { txnNumber } }: Call): RoutedTransaction | undefined {
    const newest = session === undefined ? undefined : this.#newest.get(session);
    return newest?.txnNumber === txnNumber ? newest : undefined;
  }

  /**
   * Returns the transaction of a statement. The first statement starts it.
   * @param concerned returns the read concern for the shards, given that of the first statement
   * @throws CommandError 225, 251
   */
  of(call: Call, concerned: (concern: Value | undefined) => Value | undefined): RoutedTransaction {
    const { session, generic, body } = call;
    const txnNumber = generic.txnNumber!;
    const newest = this.#newest.get(session!);
    if (newest !== undefined && txnNumber < newest.txnNumber) {
      throw fail(
        'TransactionTooOld',
        `txnNumber ${txnNumber} is less than last txnNumber ${newest.txnNumber} seen in the session`,
      );
    }
    if (newest?.txnNumber === txnNumber) return newest;
    if (body.get('startTransaction') !== true) throw this.unknown(call);
    const begun: RoutedTransaction = {
      txnNumber,
      readConcern: concerned(body.get('readConcern')),
      participants: new Map(),
      recovery: undefined,
      isDecided: false,
    };
    if (this.#newest.size >= this.#most) {
      this.keep(key => call.engine.sessions.has(key));
      this.#most = Math.max(fewest, 2 * this.#newest.size);
    }
    this.#newest.set(session!, begun);
    return begun;
  }

  unknown({ session, body, generic: { txnNumber } }: Call): Error {
    const lsid = body.get('lsid');
    const known = this.#newest.get(session!)?.txnNumber ?? -1n;
    return fail(
      'NoSuchTransaction',
      `cannot continue txnId ${known} for session ${isDoc(lsid) ? show(lsid.get('id')) : ''} with txnId ${txnNumber}`,
      [],
      [transientTransactionError],
    );
  }

  /** Removes the transactions of sessions that no longer exist. */
  keep(isThere: (session: SessionKey) => boolean): void {
    for (const session of [...this.#newest.keys()]) if (!isThere(session)) this.#newest.delete(session);
  }

  clear(): void {
    this.#newest.clear();
  }
}

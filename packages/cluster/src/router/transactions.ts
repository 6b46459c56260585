import type { Entry, Value } from '@tessera/mql/engine';
import { Doc, fail, isDoc, show } from '@tessera/mql/engine';
import type { Call, SessionKey } from '@tessera/server/parts';
import { transientTransactionError } from '@tessera/server/parts';
import type { Shard } from './shard.js';

/** What one mongos knows of a session's newest transaction. */
export interface RoutedTransaction {
  readonly txnNumber: bigint;
  /** Of the first statement on every shard. */
  readonly readConcern: Value | undefined;
  /** The shards that have heard of it, and whether it wrote there. */
  readonly participants: Map<Shard, { wrote: boolean }>;
  /** Knows how it ended. The first that it wrote to. */
  recovery: Shard | undefined;
  /** It is committed as soon as those have that it wrote to, however often they are asked. */
  isDecided: boolean;
}

/** Whether the command is part of a transaction of several statements. */
export const isInTransaction = ({ body }: Call): boolean => body.get('autocommit') === false;

/** What names the transaction of a command to everybody. */
export const nameOf = ({ session, generic: { txnNumber } }: Call): string => `${session} ${txnNumber}`;

/** `{ recoveryShardId }`, for whoever asks another mongos how it ended; empty while nothing was written. */
export const recoveryToken = ({ recovery }: RoutedTransaction): Entry => [
  'recoveryToken',
  recovery === undefined ? Doc.EMPTY : Doc.of([['recoveryShardId', recovery.name]]),
];

/** So many are not worth a look. */
const fewest = 1_000;

/** The transactions of the sessions that use one mongos. */
export class RoutedTransactions {
  readonly #newest = new Map<SessionKey, RoutedTransaction>();
  /** Before there are more, those of sessions that have ended are forgotten. */
  #most = fewest;

  /** Undefined: this mongos has not heard of it. */
  find({ session, generic: { txnNumber } }: Call): RoutedTransaction | undefined {
    const newest = session === undefined ? undefined : this.#newest.get(session);
    return newest?.txnNumber === txnNumber ? newest : undefined;
  }

  /**
   * That which a statement belongs to; a first one begins it.
   * @param concerned the read concern that its shards are told, of that of its first statement
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

  /** Forgets those of other sessions. */
  keep(isThere: (session: SessionKey) => boolean): void {
    for (const session of [...this.#newest.keys()]) if (!isThere(session)) this.#newest.delete(session);
  }

  clear(): void {
    this.#newest.clear();
  }
}

import type { Clock, Timer } from '@tessera/contracts';
import type { CommandError, TimestampValue } from '@tessera/mql/engine';
import { detached, fail } from '@tessera/mql/engine';
import type { DatabaseValue, SessionWrites } from '@tessera/store';
import { noStatements } from '@tessera/store';
import type { Cursors } from '../engine/cursors.js';
import type { Guard } from '../engine/database.js';
import type { Commit } from '../engine/history.js';
import type { Operations } from '../engine/operations.js';
import type { SessionKey } from '../engine/sessions.js';
import type { Author } from '../log/entry.js';
import type { Ending } from './blocked.js';
import { outsideGuard } from './outside-guard.js';
import { mergedInto } from './merge.js';
import { Pending } from './pending.js';
import type { Beginning, Head } from './transaction.js';
import { Transaction } from './transaction.js';

/** A session with a transaction number. */
export interface Numbered {
  readonly session: SessionKey;
  readonly author: Author;
}

/**
 * The parts of a server that transactions use: the data that they read and are committed to, and what their end
 * affects.
 */
export interface Ground extends Head {
  readonly clock: Clock;
  readonly cursors: Pick<Cursors, 'killOfTransaction'>;
  readonly operations: Pick<Operations, 'interrupt'>;
  commit(commit: Commit): void;
  noteWrites(session: SessionKey, writes: SessionWrites): void;
}

/** A transaction that can be committed. */
export interface Ready {
  readonly numbered: Numbered;
  readonly transaction: Transaction;
  /** The newest data with the transaction's writes. */
  readonly value: DatabaseValue;
}

interface Open {
  readonly transaction: Transaction;
  readonly timer: Timer;
}

const tooOld = ({ txnNumber }: Author, known: SessionWrites): Error =>
  fail(
    'TransactionTooOld',
    `Cannot start transaction with { txnNumber: ${txnNumber} } on session because a newer ${known.transaction === undefined ? 'retryable write' : 'transaction'} with { txnNumber: ${known.txnNumber} } has already started on this session.`,
  );

const noMatch = (txnNumber: bigint, active: bigint): Error =>
  fail(
    'NoSuchTransaction',
    `Given transaction number ${txnNumber} does not match any in-progress transactions. The active transaction number is ${active}`,
  );

const aborted = (txnNumber: bigint): Error =>
  fail('NoSuchTransaction', `Transaction with { txnNumber: ${txnNumber} } has been aborted.`);

const committed = (txnNumber: bigint): Error =>
  fail('TransactionCommitted', `Transaction with { txnNumber: ${txnNumber} } has been committed.`);

/** The open transactions of a member. Their outcomes are stored in the data. */
export class Transactions {
  /** Counts since the process started. */
  readonly counts = { started: 0, committed: 0, aborted: 0 };
  readonly #ground: Ground;
  readonly #open = new Map<SessionKey, Open>();
  readonly #pending = new Pending<Ending>();
  readonly #outsideGuard: Guard = outsideGuard(this.#pending);

  constructor(ground: Ground) {
    this.#ground = ground;
  }

  get size(): number {
    return this.#open.size;
  }

  /** A number that increases with every claim and use of open transactions. */
  get claims(): number {
    return this.#pending.version;
  }

  /** The guard of writes outside of transactions; undefined if no transaction can conflict. */
  get guard(): Guard | undefined {
    return this.#pending.isEmpty ? undefined : this.#outsideGuard;
  }

  #known({ session, author }: Numbered): SessionWrites | undefined {
    const known = this.#ground.value.writes.get(session);
    if (known !== undefined && author.txnNumber < known.txnNumber) throw tooOld(author, known);
    return known;
  }

  /** Starts a transaction. @throws CommandError 117, 225 */
  begin(numbered: Numbered, beginning: Beginning): Transaction {
    const { session, author } = numbered;
    if (this.#known(numbered)?.txnNumber === author.txnNumber) {
      const open = this.#open.get(session)?.transaction;
      // The first statement is executed again after it had to wait.
      if (open?.isFresh === true) return open;
      throw fail(
        'ConflictingOperationInProgress',
        'Only servers in a sharded cluster can start a new transaction at the active transaction number',
      );
    }
    this.abort(session);
    this.#note(numbered, 'begun');
    const { clock } = this.#ground;
    const kept = { lsid: detached(author.lsid), txnNumber: author.txnNumber };
    const transaction = new Transaction(this.#ground, this.#pending, kept, beginning);
    const expire = (): void => {
      this.abort(session);
    };
    const timer = clock.startTimer(beginning.lifetime, expire, { background: true });
    this.#open.set(session, { transaction, timer });
    this.counts.started += 1;
    return transaction;
  }

  #note({ session, author }: Numbered, transaction: SessionWrites['transaction']): void {
    this.#ground.noteWrites(session, this.#outcome(author, transaction));
  }

  #outcome({ txnNumber }: Author, transaction: SessionWrites['transaction']): SessionWrites {
    return { txnNumber, statements: noStatements, transaction, writtenAt: this.#ground.clock.wallTime() };
  }

  /** Returns the open transaction with this number. */
  open({ session, author }: Numbered): Transaction | undefined {
    const open = this.#open.get(session)?.transaction;
    return open?.author.txnNumber === author.txnNumber ? open : undefined;
  }

  /** Returns the open transaction of a later statement. @throws CommandError 225, 251, 256 */
  resume(numbered: Numbered): Transaction {
    const { session, author } = numbered;
    const { txnNumber } = author;
    const known = this.#known(numbered);
    if (known?.txnNumber !== txnNumber || known.transaction === undefined)
      throw noMatch(txnNumber, known?.txnNumber ?? -1n);
    if (known.transaction === 'committed') throw committed(txnNumber);
    const open = this.#open.get(session);
    if (open === undefined) throw aborted(txnNumber);
    return open.transaction;
  }

  /** Commits a transaction. It can be repeated, and then has the same result. @throws CommandError 225, 251, 11000 */
  commit(numbered: Numbered): void {
    const { session, author } = numbered;
    const known = this.#known(numbered);
    if (known?.txnNumber === author.txnNumber && known.transaction === 'committed') return;
    const ready = this.ready(numbered);
    try {
      this.finish(ready, undefined);
    } catch (error) {
      this.#close(session, 'aborted');
      throw error;
    }
  }

  /** Checks that a transaction can be committed now. Changes nothing. @throws CommandError 225, 251, 256, 11000 */
  ready(numbered: Numbered): Ready {
    const transaction = this.resume(numbered);
    try {
      return { numbered, transaction, value: this.#with(numbered, transaction) };
    } catch (error) {
      this.#close(numbered.session, 'aborted');
      throw error;
    }
  }

  #with({ session, author }: Numbered, transaction: Transaction): DatabaseValue {
    const merged = mergedInto(this.#ground.value, transaction);
    const writes = merged.writes.set(session, this.#outcome(author, 'committed'), { for: 'a transaction' });
    return { ...merged, writes };
  }

  /**
   * Commits a transaction for which {@link ready} was called, with no writes since.
   * @param at the commit time; undefined for the next time
   */
  finish({ numbered, transaction, value }: Ready, at: TimestampValue | undefined): void {
    const { ops, author } = transaction;
    if (ops.length === 0) this.#note(numbered, 'committed');
    else this.#ground.commit({ value, ops, author, transaction: true, at });
    this.#close(numbered.session, 'committed');
  }

  /** Commits a committed transaction once more, on data in which all that it read and wrote is unchanged. */
  redo({ numbered, transaction }: Ready, at: TimestampValue): void {
    const { ops, author } = transaction;
    this.#ground.commit({ value: this.#with(numbered, transaction), ops, author, transaction: true, at });
  }

  /** Aborts the session's transaction, if it has one. */
  abort(session: SessionKey): void {
    this.#close(session, 'aborted');
  }

  /** Aborts all transactions, when the member steps down or ends. @param why the error for statements in progress */
  abortAll(why?: CommandError): void {
    for (const session of [...this.#open.keys()]) this.#close(session, 'aborted', why);
  }

  #close(session: SessionKey, outcome: 'committed' | 'aborted', why?: CommandError): void {
    const open = this.#open.get(session);
    if (open === undefined) return;
    this.counts[outcome] += 1;
    this.#open.delete(session);
    open.timer.cancel();
    this.#ground.cursors.killOfTransaction(session, open.transaction.author.txnNumber);
    this.#ground.operations.interrupt(({ session: one, inTransaction }) => inTransaction && one === session, why);
    open.transaction.end();
  }
}

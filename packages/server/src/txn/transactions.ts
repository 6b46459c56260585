import type { Millis, Timer } from '@tessera/contracts';
import type { DatabaseValue, Guard } from '../engine/database.js';
import type { Engine } from '../engine/engine.js';
import { noStatements } from '../engine/session-writes.js';
import type { SessionWrites } from '../engine/session-writes.js';
import type { SessionKey } from '../engine/sessions.js';
import { fail } from '../errors.js';
import type { Author } from '../log/entry.js';
import { detached } from '../value/bson.js';
import { bystander } from './bystander.js';
import { mergedInto } from './merge.js';
import { Pending } from './pending.js';
import { Transaction } from './transaction.js';

/** Of what is done under a transaction number. */
export interface Numbered {
  readonly session: SessionKey;
  readonly author: Author;
}

/** What a transaction begins with. */
export interface Beginning {
  /** What it reads. */
  readonly base: DatabaseValue;
  /** When that is over it is aborted: `transactionLifetimeLimitSeconds`. */
  readonly lifetime: Millis;
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

/** The transactions that are under way on a member, and how they end. What becomes of them is part of the data. */
export class Transactions {
  /** Since the process began. */
  readonly counts = { started: 0, committed: 0, aborted: 0 };
  readonly #engine: Engine;
  readonly #open = new Map<SessionKey, Open>();
  readonly #pending = new Pending();
  readonly #bystander: Guard = bystander(this.#pending);

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Who writes outside of transactions has to ask it; undefined: nothing is in the way. */
  get guard(): Guard | undefined {
    return this.#pending.isEmpty ? undefined : this.#bystander;
  }

  #known({ session, author }: Numbered): SessionWrites | undefined {
    const known = this.#engine.value.writes.get(session);
    if (known !== undefined && author.txnNumber < known.txnNumber) throw tooOld(author, known);
    return known;
  }

  /** @throws CommandError 117, 225 */
  begin(numbered: Numbered, { base, lifetime }: Beginning): Transaction {
    const { session, author } = numbered;
    if (this.#known(numbered)?.txnNumber === author.txnNumber) {
      const open = this.#open.get(session)?.transaction;
      // Its first statement has waited, and begins anew.
      if (open?.isFresh === true) return open;
      throw fail(
        'ConflictingOperationInProgress',
        'Only servers in a sharded cluster can start a new transaction at the active transaction number',
      );
    }
    this.abort(session);
    this.#note(numbered, 'begun');
    const { clock } = this.#engine;
    const kept = { lsid: detached(author.lsid), txnNumber: author.txnNumber };
    const transaction = new Transaction(this.#engine, this.#pending, kept, base);
    const expire = (): void => {
      this.abort(session);
    };
    const timer = clock.startTimer(lifetime, expire, { background: true });
    this.#open.set(session, { transaction, timer });
    this.counts.started += 1;
    return transaction;
  }

  #note({ session, author }: Numbered, transaction: SessionWrites['transaction']): void {
    this.#engine.noteWrites(session, this.#outcome(author, transaction));
  }

  #outcome({ txnNumber }: Author, transaction: SessionWrites['transaction']): SessionWrites {
    return { txnNumber, statements: noStatements, transaction, writtenAt: this.#engine.clock.wallTime() };
  }

  /** That a statement goes on with. @throws CommandError 225, 251, 256 */
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

  /** Again and again with the same outcome. @throws CommandError 225, 251, 11000 */
  commit(numbered: Numbered): void {
    const { session, author } = numbered;
    const known = this.#known(numbered);
    if (known?.txnNumber === author.txnNumber && known.transaction === 'committed') return;
    const transaction = this.resume(numbered);
    if (transaction.ops.length === 0) {
      this.#note(numbered, 'committed');
      this.#close(session, 'committed');
      return;
    }
    try {
      const merged = mergedInto(this.#engine.value, transaction);
      const writes = merged.writes.set(session, this.#outcome(author, 'committed'), { for: 'a transaction' });
      const value = { ...merged, writes };
      this.#engine.commit({ value, ops: transaction.ops, author: transaction.author, transaction: true });
    } catch (error) {
      this.#close(session, 'aborted');
      throw error;
    }
    this.#close(session, 'committed');
  }

  /** What was done in it is gone. A session without one has nothing to abort. */
  abort(session: SessionKey): void {
    this.#close(session, 'aborted');
  }

  /** The member is the primary no more, or ends. */
  abortAll(): void {
    for (const session of [...this.#open.keys()]) this.#close(session, 'aborted');
  }

  #close(session: SessionKey, outcome: 'committed' | 'aborted'): void {
    const open = this.#open.get(session);
    if (open === undefined) return;
    this.counts[outcome] += 1;
    this.#open.delete(session);
    open.timer.cancel();
    this.#engine.cursors.killOfTransaction(session, open.transaction.author.txnNumber);
    this.#engine.operations.interrupt(({ session: one, inTransaction }) => inTransaction && one === session);
    open.transaction.end();
  }
}

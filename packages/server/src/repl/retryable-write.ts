import type { Doc } from '@tessera/mql/engine';
import { fail, isArray, safeIntegerOf } from '@tessera/mql/engine';
import type { Done, SessionWrites } from '@tessera/store';
import { noStatements } from '@tessera/store';
import type { FailPoint } from '../engine/fail-points.js';
import type { Draft } from '../engine/database.js';
import type { Engine } from '../engine/engine.js';
import type { SessionKey } from '../engine/sessions.js';
import type { Peer } from '../wire/connection.js';

/** Returns the id of a statement. It is the statement's index in the command, unless the command contains ids. */
type Numbering = (index: number) => number;

/** Returns the numbering of a command. @throws CommandError 16, 72 */
const numberingOf = (body: Doc): Numbering => {
  const first = safeIntegerOf(body.get('stmtId'));
  const ids = body.get('stmtIds');
  if (!isArray(ids)) return index => (first ?? 0) + index;
  if (first !== undefined) {
    throw fail('InvalidOptions', 'May not specify both stmtId and stmtIds in write command');
  }
  const statements = body.get('documents') ?? body.get('updates') ?? body.get('deletes') ?? body.get('ops');
  const count = isArray(statements) ? statements.length : ids.length;
  if (ids.length !== count) {
    throw fail(
      'InvalidLength',
      `Number of statement ids must match the number of batch entries. Got ${ids.length} statement ids but ${count} operations.`,
    );
  }
  return index => safeIntegerOf(ids[index]) ?? index;
};

/** The fail point that can interrupt a write: mongod's `onPrimaryTransactionalWrite`. */
export interface WriteFailPoint {
  readonly point: FailPoint;
  readonly peer: Peer;
}

/**
 * A command with a transaction number. Each of its statements is performed once, even if the command is retried, in
 * whole or in part. Rule: Retryable Writes, "txnNumber".
 */
export class RetryableWrite {
  /** The ids of statements that an earlier attempt has performed. */
  readonly retried: number[] = [];
  readonly #engine: Engine;
  readonly #session: SessionKey;
  readonly #txnNumber: bigint;
  readonly #numbering: Numbering;
  readonly #failPoint: WriteFailPoint;
  #known: ReadonlyMap<number, Done> = noStatements;
  #done: Map<number, Done> | undefined;
  /** Whether the session's record does not have the number yet. */
  #isNew = true;

  /** @throws CommandError 16, 72 */
  constructor(
    engine: Engine,
    session: SessionKey,
    { txnNumber, body }: { readonly txnNumber: bigint; readonly body: Doc },
    mishap: WriteFailPoint,
  ) {
    this.#engine = engine;
    this.#session = session;
    this.#txnNumber = txnNumber;
    this.#numbering = numberingOf(body);
    this.#failPoint = mishap;
  }

  /** Call it directly before each attempt of the work. @throws CommandError 225 for an outdated number */
  begin(): void {
    this.retried.length = 0;
    this.#done = undefined;
    const writes = this.#engine.value.writes.get(this.#session);
    if (writes === undefined || writes.txnNumber < this.#txnNumber) {
      this.#engine.transactions.abort(this.#session);
      return;
    }
    if (writes.txnNumber > this.#txnNumber) {
      throw fail(
        'TransactionTooOld',
        `Retryable write with txnNumber ${this.#txnNumber} is prohibited on session because a newer ${writes.transaction === undefined ? 'retryable write' : 'transaction'} with txnNumber ${writes.txnNumber} has already started on this session.`,
      );
    }
    if (writes.transaction !== undefined) {
      throw fail(
        'IncompleteTransactionHistory',
        'Cannot continue a transaction as a retryable write. Specify autocommit=false.',
      );
    }
    this.#known = writes.statements;
    this.#isNew = false;
  }

  /**
   * Call it after the work has ended. Records the number even if nothing was changed, so that lower numbers become
   * outdated.
   */
  end(): void {
    if (this.#isNew) this.#engine.noteWrites(this.#session, this.#writes(noStatements));
  }

  #writes(statements: ReadonlyMap<number, Done>): SessionWrites {
    return { txnNumber: this.#txnNumber, statements, transaction: undefined, writtenAt: this.#engine.clock.wallTime() };
  }

  /** Returns the result of a statement that was performed before, or undefined. */
  known(index: number): Done | undefined {
    const id = this.#numbering(index);
    const done = this.#known.get(id);
    if (done !== undefined) this.retried.push(id);
    return done;
  }

  /** Call it before a statement. Returns a function that reverts the statement, if a fail point may require that. */
  guard(draft: Draft): (() => void) | undefined {
    return this.#failPoint.point.isOff ? undefined : draft.checkpoint();
  }

  /**
   * Records the result of a statement that changed something.
   * @throws CommandError if a fail point reverts the statement
   */
  record(draft: Draft, index: number, done: Done, undo: (() => void) | undefined): void {
    if (undo !== undefined) this.#applyFailPoint(undo);
    this.#isNew = false;
    this.#done ??= new Map(this.#known);
    this.#done.set(this.#numbering(index), done);
    draft.remember(this.#session, this.#writes(this.#done));
  }

  #applyFailPoint(undo: () => void): void {
    const { point, peer } = this.#failPoint;
    const data = point.take(this.#engine.random, () => true);
    if (data === undefined) return;
    if (data.get('closeConnection') !== false) peer.close();
    const code = safeIntegerOf(data.get('failBeforeCommitExceptionCode'));
    if (code === undefined) return;
    undo();
    throw fail(
      code,
      `Failing write for transaction number ${this.#txnNumber} due to failpoint. The write must not be reflected.`,
    );
  }
}

import type { Soon } from '@tessera/contracts';
import type { Fields, Reply } from '../commands/command.js';
import type { SessionKey } from '../engine/sessions.js';
import { fail } from '../errors.js';

interface Done {
  readonly txnNumber: bigint;
  readonly command: string;
  readonly reply: Fields;
}

const mostSessions = 10_000;

/**
 * What each session's last retryable write was answered: if it comes again it is not carried out again. Rule: Retryable
 * Writes, "txnNumber". A command is remembered as a whole, so statements of it that failed are not tried again.
 */
export class Retries {
  readonly #done = new Map<SessionKey, Done>();

  /** @throws CommandError 225 for a number that is past */
  once(
    session: SessionKey,
    txnNumber: bigint,
    command: string,
    work: () => Soon<Fields | Reply>,
    again: (reply: Fields) => Fields,
  ): Soon<Fields | Reply> {
    const known = this.#done.get(session);
    if (known !== undefined && txnNumber < known.txnNumber) {
      throw fail(
        'TransactionTooOld',
        `Retryable write with txnNumber ${txnNumber} is prohibited on session because a newer retryable write with txnNumber ${known.txnNumber} has already started on this session.`,
      );
    }
    if (known?.txnNumber === txnNumber && known.command === command) return again(known.reply);
    const remember = (reply: Fields | Reply): Fields | Reply => {
      this.#remember(session, { txnNumber, command, reply: 'fields' in reply ? reply.fields : reply });
      return reply;
    };
    const reply = work();
    return reply instanceof Promise ? reply.then(remember) : remember(reply);
  }

  /** The session that wrote longest ago is forgotten first. */
  #remember(session: SessionKey, done: Done): void {
    this.#done.delete(session);
    this.#done.set(session, done);
    if (this.#done.size <= mostSessions) return;
    for (const oldest of this.#done.keys()) {
      this.#done.delete(oldest);
      return;
    }
  }
}

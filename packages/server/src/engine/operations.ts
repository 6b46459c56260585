import type { Millis } from '@tessera/contracts';
import type { CommandError, Doc } from '@tessera/mql/engine';
import { fail } from '@tessera/mql/engine';
import type { SessionKey } from './sessions.js';

/** A command that has paused, so that other commands can run. */
export interface Operation {
  /** The id of its connection, which executes one command at a time. */
  readonly id: number;
  readonly ns: string;
  readonly command: Doc;
  readonly session: SessionKey | undefined;
  /** The keys of the operation's users; empty without authentication. */
  readonly users: ReadonlySet<string>;
  readonly inTransaction: boolean;
  readonly begun: Millis;
}

interface UnderWay {
  readonly operation: Operation;
  /** Set if the operation was interrupted: the error that it fails with. */
  end: CommandError | undefined;
}

/** The registration of a paused command. */
export interface Ticket {
  /** @throws CommandError if the operation was interrupted */
  check(): void;
  /** Removes the operation when it ends. */
  leave(): void;
}

/** The commands that have paused. */
export class Operations implements Iterable<Operation> {
  readonly #underWay = new Set<UnderWay>();

  enter(operation: Operation): Ticket {
    const entry: UnderWay = { operation, end: undefined };
    this.#underWay.add(entry);
    return {
      check: () => {
        if (entry.end !== undefined) throw entry.end;
      },
      leave: () => {
        this.#underWay.delete(entry);
      },
    };
  }

  /** Interrupts the operations that match. They fail with 11601 or `error` when they continue. */
  interrupt(
    fits: (operation: Operation) => boolean,
    error: CommandError = fail('Interrupted', 'operation was interrupted'),
  ): void {
    for (const entry of this.#underWay) if (fits(entry.operation)) entry.end ??= error;
  }

  *[Symbol.iterator](): Iterator<Operation> {
    for (const { operation } of this.#underWay) yield operation;
  }
}

import type { Millis } from '@tessera/contracts';
import type { CommandError, Doc } from '@tessera/mql/engine';
import { fail } from '@tessera/mql/engine';
import type { SessionKey } from './sessions.js';

/** A command that has given way to others and is to go on. */
export interface Operation {
  /** That of its connection, which has one command at a time. */
  readonly id: number;
  readonly ns: string;
  readonly command: Doc;
  readonly session: SessionKey | undefined;
  /** The keys of the operation's users; empty if nobody is logged in. */
  readonly users: ReadonlySet<string>;
  readonly inTransaction: boolean;
  readonly begun: Millis;
}

interface UnderWay {
  readonly operation: Operation;
  /** Why it does not go on. */
  end: CommandError | undefined;
}

/** What holds an operation's place. */
export interface Ticket {
  /** @throws CommandError with which the operation was interrupted */
  check(): void;
  /** It is done. */
  leave(): void;
}

/** The commands that have given way to others. */
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

  /** Those that fit end when it is their turn, with 11601 or that error. */
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

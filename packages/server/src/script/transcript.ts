import type { Clock, Millis } from '@tessera/contracts';
import type { Doc } from '@tessera/mql/engine';
import { showDoc } from '@tessera/mql/engine';
import { holdsSecret } from '../auth/holds-secret.js';

const widest = 120;

const cut = (text: string): string => (text.length > widest ? `${text.slice(0, widest - 1)}…` : text);

const commandText = (name: string, body: Doc): string =>
  cut(holdsSecret(name, body) ? `${name} { … }` : `${name} ${showDoc(body)}`);

/** Returns a command in one line, without credentials. */
export const commandLine = (name: string, body: Doc): string =>
  commandText(name, body.without('speculativeAuthenticate'));

/** Returns a reply in one line, without credentials. */
export const replyLine = (doc: Doc): string => cut(showDoc(doc.without('speculativeAuthenticate')));

/** The messages of all connections, as a diagram for the errors of failing tests. */
export class Transcript {
  readonly #clock: Clock;
  readonly #start: Millis;
  readonly #lines: string[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#start = clock.now();
  }

  #add(connection: number, arrow: string, what: string): void {
    const at = Math.round(this.#clock.now() - this.#start);
    this.#lines.push(`${String(at).padStart(7)} ms  #${connection}  client ${arrow} server  ${cut(what)}`);
  }

  /** Adds a message of the client. */
  came(connection: number, what: string): void {
    this.#add(connection, '──▶', what);
  }

  /** Adds a message of the server. */
  went(connection: number, what: string): void {
    this.#add(connection, '◀──', what);
  }

  broke(connection: number, what: string): void {
    this.#add(connection, '─╳─', what);
  }

  toString(): string {
    return this.#lines.length === 0 ? '(no messages)' : this.#lines.join('\n');
  }
}

/**
 * The error if requests differ from the script, or the test answers one incorrectly. Its message ends with the
 * transcript: all requests and replies so far.
 */
export class ScriptError extends Error {
  override readonly name: string = 'ScriptError';

  constructor(what: string, transcript: Transcript) {
    super(`${what}\n\n${transcript.toString()}`);
  }
}

import type { Clock, Millis } from '@tessera/contracts';
import type { Entry } from '@tessera/mql/engine';
import { Doc, double, fail, isDoc, isNumber, toLong } from '@tessera/mql/engine';
import { errorReply } from '../commands/dispatch.js';
import type { Answer, Peer } from '../wire/connection.js';
import type { Request } from '../wire/message.js';
import { writeMsg } from '../wire/message.js';
import type { Plain } from './plain.js';
import { toDoc, toPlain } from './plain.js';
import type { Transcript } from './transcript.js';
import { ScriptError, told, toldReply } from './transcript.js';

/**
 * How a connection ends. `fin`: what was written is sent, then the stream ends in order. `rst`: at once, and the peer sees a
 * reset (an end of the stream where sockets have no resets). `afterBytes`: so many bytes of the reply `{ ok: 1 }`, then `fin`.
 */
export type HangUp = 'fin' | 'rst' | { readonly afterBytes: number };

export interface ReplyExtras {
  readonly labels?: readonly string[];
  readonly writeConcernError?: Plain;
  readonly topologyVersion?: Plain;
}

export interface ErrorExtras extends ReplyExtras {
  readonly message?: string;
  /** Beside the error's own: `keyPattern`, `errInfo`. */
  readonly fields?: Plain;
}

export interface CursorOptions {
  /** 0: exhausted. Sent as an int64. */
  readonly id?: number | bigint;
  /** That of the command if left out. */
  readonly ns?: string;
}

/** What carries a request: where it came from, and how it can be answered. */
export interface Carrier {
  readonly clock: Clock;
  readonly transcript: Transcript;
  readonly peer: Peer;
  readonly connection: ScriptedConnection;
  /** What really happens; undefined where nothing does. */
  readonly real: (() => Answer | Promise<Answer>) | undefined;
}

/** One connection as a script sees it. */
export interface ScriptedConnection {
  /** Counted from 1. */
  readonly id: number;
  /** Resolves when it is gone, whoever ended it. */
  readonly closed: Promise<void>;
}

const known = new WeakMap<Peer, ScriptedConnection>();

/** The same for the same peer. */
export const connectionOf = (peer: Peer): ScriptedConnection => {
  const before = known.get(peer);
  if (before !== undefined) return before;
  const closed = new Promise<void>(resolve => peer.signal.addEventListener('abort', resolve));
  const made = { id: peer.id, closed };
  known.set(peer, made);
  return made;
};

type State = 'open' | 'answered';

/** A cursor's id and a counter are int64, `ok` is a double, whatever number the test wrote. */
const typedEntry = ([name, value]: Entry): Entry => {
  if (name === 'ok' && typeof value === 'number') return [name, double(value)];
  if ((name === 'cursor' || name === 'topologyVersion') && isDoc(value)) {
    const field = name === 'cursor' ? 'id' : 'counter';
    const given = value.get(field);
    return isNumber(given) ? [name, value.with(field, toLong(given) ?? given)] : [name, value];
  }
  return [name, value];
};

const typedFields = (plain: Plain): readonly Entry[] => toDoc(plain).entries().map(typedEntry);

const extrasOf = ({ labels = [], writeConcernError, topologyVersion }: ReplyExtras): readonly Entry[] => [
  ...(writeConcernError === undefined ? [] : ([['writeConcernError', toDoc(writeConcernError)]] as const)),
  ...(topologyVersion === undefined ? [] : typedFields({ topologyVersion })),
  ...(labels.length === 0 ? [] : ([['errorLabels', [...labels]]] as const)),
];

/** `{ …, ok: 1.0 }` unless the fields have an `ok` of their own. */
export const okReply = (fields: Plain, extras: ReplyExtras = {}): Doc => {
  const entries = [...typedFields(fields), ...extrasOf(extras)];
  return Doc.of(entries.some(([name]) => name === 'ok') ? entries : [...entries, ['ok', double(1)]]);
};

/**
 * A request that a test has in its hand. It is to be answered exactly once, by one of the verbs; `more` may come before. One
 * that was never answered fails the test when the black pipe is disposed of.
 */
export class ScriptedRequest {
  /** As the client spelled it. */
  readonly name: string;
  readonly db: string;
  /** Document sequences as arrays; see {@link Plain} for the types. */
  readonly command: Plain;
  readonly connection: ScriptedConnection;
  readonly requestId: number;
  /** Nobody waits for a reply (`moreToCome`): there is nothing to answer. */
  readonly silent: boolean;
  readonly #request: Request;
  readonly #carrier: Carrier;
  #state: State;
  #delay: Millis = 0;
  #resolve: (answer: Answer | undefined) => void;

  constructor(request: Request, carrier: Carrier, resolve: (answer: Answer | undefined) => void) {
    this.#request = request;
    this.#carrier = carrier;
    this.#resolve = resolve;
    this.name = request.body.entries()[0]?.[0] ?? '';
    this.db = request.db ?? '';
    this.command = toPlain(request.body) as Plain;
    this.connection = carrier.connection;
    this.requestId = request.requestId;
    this.silent = request.silent;
    this.#state = request.silent && carrier.real === undefined ? 'answered' : 'open';
    if (this.#state === 'answered') resolve(undefined);
  }

  /** What the test still owes; undefined if nothing. */
  get owed(): string | undefined {
    return this.#state === 'open' ? `#${this.connection.id} ${told(this.name, this.#request.body)}` : undefined;
  }

  /** The command as the server has it. */
  get body(): Doc {
    return this.#request.body;
  }

  /** The answer that follows is given only when the clock has moved on by so much. */
  after(delay: Millis): this {
    this.#delay = delay;
    return this;
  }

  /** `{ …fields, ok: 1 }` */
  ok(fields: Plain = {}, extras: ReplyExtras = {}): void {
    const doc = okReply(fields, extras);
    this.#settle(toldReply(doc), { doc });
  }

  /** `{ ok: 0, errmsg, code, codeName, … }` */
  error(code: number, { message = `The script says ${code}`, fields = {}, ...extras }: ErrorExtras = {}): void {
    const doc = errorReply(fail(code, message, [...typedFields(fields), ...extrasOf(extras)]));
    this.#settle(toldReply(doc), { doc });
  }

  /** A batch: the first of a find, aggregate or list, the next of a getMore. */
  cursor(docs: readonly Plain[], { id = 0, ns = this.#namespace() }: CursorOptions = {}): void {
    const batch = this.name === 'getMore' ? 'nextBatch' : 'firstBatch';
    this.ok({ cursor: { [batch]: docs, id, ns } });
  }

  #namespace(): string {
    const target = this.#request.body.entries()[0]?.[1];
    const collection = this.name === 'getMore' ? this.#request.body.get('collection') : target;
    return `${this.db}.${typeof collection === 'string' ? collection : `$cmd.${this.name}`}`;
  }

  /** One of several replies (`moreToCome`), to a request that allows them (`exhaustAllowed`); the last is said by `ok`. */
  more(fields: Plain): void {
    this.#demand();
    if (!this.#request.exhaust) throw this.#mistake('allows one reply only: it was sent without exhaustAllowed');
    const doc = okReply(fields);
    this.#carrier.transcript.went(this.connection.id, `${toldReply(doc)} (more to come)`);
    const answer = this.#resolve;
    const next = new Promise<Answer>(resolve => {
      this.#resolve = resolve as (answer: Answer | undefined) => void;
    });
    answer({ doc, next: () => next });
  }

  /** Ends the connection in place of an answer. */
  hangUp(how: HangUp = 'rst'): void {
    if (this.#state === 'answered' && !this.silent) this.#demand();
    const act = (): void => {
      const { peer, transcript } = this.#carrier;
      transcript.broke(
        this.connection.id,
        `hang up (${typeof how === 'string' ? how : `after ${how.afterBytes} bytes`})`,
      );
      if (how === 'rst') return peer.reset();
      if (how !== 'fin') peer.send(this.frame({ ok: 1 }).subarray(0, how.afterBytes));
      peer.end();
    };
    this.#act(act);
  }

  /** Exactly these bytes in place of a reply, its header included. */
  raw(bytes: Uint8Array): void {
    this.#demand();
    this.#act(() => {
      this.#carrier.transcript.went(this.connection.id, `${bytes.length} raw bytes`);
      this.#carrier.peer.send(bytes.slice());
    });
  }

  /** The OP_MSG that would be the reply: for `raw`, to be broken on purpose. */
  frame(fields: Plain): Uint8Array {
    const doc = Doc.of(typedFields(fields));
    const size = doc.byteLength;
    return writeMsg(doc, { requestId: 0, responseTo: this.requestId, checksum: false, more: false, size }).slice();
  }

  /** What would have happened without the script. @throws ScriptError on a black pipe, where nothing would */
  proceed(): void {
    const { real } = this.#carrier;
    if (real === undefined)
      throw this.#mistake('came to a black pipe, where nothing happens by itself: say what it is answered');
    this.#demand();
    this.#state = 'answered';
    const go = async (): Promise<void> => {
      await this.#wait();
      const answer = await real();
      this.#carrier.transcript.went(this.connection.id, toldReply(answer.doc));
      this.#resolve(answer);
    };
    void go();
  }

  #mistake(what: string): ScriptError {
    return new ScriptError(`The request ${told(this.name, this.#request.body)} ${what}.`, this.#carrier.transcript);
  }

  #demand(): void {
    if (this.#state === 'answered')
      throw this.#mistake(this.silent ? 'wants no answer' : 'was answered already: each is answered once');
  }

  #settle(what: string, answer: Answer): void {
    this.#demand();
    this.#act(() => {
      this.#carrier.transcript.went(this.connection.id, what);
      this.#resolve(answer);
    });
  }

  /** Now, or when the time has come. */
  #act(act: () => void): void {
    this.#state = 'answered';
    if (this.#delay === 0) {
      act();
      this.#resolve(undefined);
      return;
    }
    void this.#wait().then(() => {
      if (!this.#carrier.peer.signal.aborted) act();
      this.#resolve(undefined);
    });
  }

  async #wait(): Promise<void> {
    const { clock, peer } = this.#carrier;
    if (this.#delay === 0) return;
    // A connection that is gone waits for nothing.
    await clock.sleep(this.#delay, peer.signal).catch(() => undefined);
  }
}

/** Whether the two are one command: hello has three names, the others one. */
export const isNamed = (name: string, wanted: string): boolean => canonical(name) === canonical(wanted);

export const canonical = (name: string): string => (/^is[mM]aster$/.test(name) ? 'hello' : name);

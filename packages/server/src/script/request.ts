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
import { ScriptError, commandLine, replyLine } from './transcript.js';

/**
 * How a connection ends. `fin`: sends earlier replies, then closes the stream normally. `rst`: ends at once, and the
 * client sees a reset (or the end of the stream, if the socket does not support resets). `afterBytes`: sends only so
 * many bytes of the reply `{ ok: 1 }`, then ends like `fin`.
 */
export type HangUp = 'fin' | 'rst' | { readonly afterBytes: number };

/** Optional fields that a reply to any command can have. Default: none. */
export interface ReplyExtras {
  /** The labels in the field `errorLabels`, such as `RetryableWriteError`. */
  readonly labels?: readonly string[];
  /** The document in the field of this name, such as `{ code: 91, errmsg: 'shutdown' }`. */
  readonly writeConcernError?: Plain;
  /** The document in the field of this name. Its `counter` is sent as an int64. */
  readonly topologyVersion?: Plain;
}

/** Optional fields of an error reply. */
export interface ErrorExtras extends ReplyExtras {
  /** The message in the field `errmsg`. Default: `Scripted error` and the code. */
  readonly message?: string;
  /** Further fields, such as `keyPattern` and `errInfo`. */
  readonly fields?: Plain;
}

/** Options of a reply with a batch of documents. */
export interface CursorOptions {
  /** The cursor's id, sent as an int64. Default: 0, which means that the cursor is exhausted. */
  readonly id?: number | bigint;
  /** The cursor's namespace, such as `shop.films`. Default: that of the command. */
  readonly ns?: string;
}

/** The context of a request: where it came from, and how it is answered. */
export interface Carrier {
  readonly clock: Clock;
  readonly transcript: Transcript;
  readonly peer: Peer;
  readonly connection: ScriptedConnection;
  /** Executes the command on the real server; undefined on a black pipe. */
  readonly real: (() => Answer | Promise<Answer>) | undefined;
}

/** The connection of a scripted request. All requests of a connection have the same object. */
export interface ScriptedConnection {
  /** The connection's number on its server, starting at 1. */
  readonly id: number;
  /** Resolves when the connection is closed, by either side. */
  readonly closed: Promise<void>;
}

const known = new WeakMap<Peer, ScriptedConnection>();

/** Returns the connection of a peer, always the same object. */
export const connectionOf = (peer: Peer): ScriptedConnection => {
  const before = known.get(peer);
  if (before !== undefined) return before;
  const closed = new Promise<void>(resolve => peer.signal.addEventListener('abort', resolve));
  const made = { id: peer.id, closed };
  known.set(peer, made);
  return made;
};

type State = 'open' | 'answered';

/** Converts a cursor's id and a topologyVersion's counter to int64, and `ok` to a double. */
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

/** Returns `{ …, ok: 1.0 }`, unless the fields contain `ok`. */
export const okReply = (fields: Plain, extras: ReplyExtras = {}): Doc => {
  const entries = [...typedFields(fields), ...extrasOf(extras)];
  return Doc.of(entries.some(([name]) => name === 'ok') ? entries : [...entries, ['ok', double(1)]]);
};

/**
 * A request that a test answers exactly once, by calling `ok`, `error`, `cursor`, `raw`, `hangUp` or `proceed`. If the
 * request is never answered, the end of the black pipe, or `Server.close`, throws a ScriptError. A second answer also
 * throws a ScriptError.
 */
export class ScriptedRequest {
  /** The command's name as the client wrote it. */
  readonly name: string;
  /** The command's database: the field `$db`. */
  readonly db: string;
  /** The command's body with document sequences as arrays. {@link Plain} describes the types. */
  readonly command: Plain;
  /** The connection on which the request arrived. */
  readonly connection: ScriptedConnection;
  /** The `requestID` in the header of the request's message. */
  readonly requestId: number;
  /** Whether the client expects no reply (`moreToCome`). On a black pipe, such a request needs no answer. */
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

  /** A description of the request if it has not been answered yet, else undefined. */
  get owed(): string | undefined {
    return this.#state === 'open' ? `#${this.connection.id} ${commandLine(this.name, this.#request.body)}` : undefined;
  }

  /** The command's body with the exact types, as a `Doc` of `@tessera/mql/engine`. */
  get body(): Doc {
    return this.#request.body;
  }

  /**
   * Delays the answer, in milliseconds of the runtime's clock: `request.after(50).ok()`. Replies of `more` are not
   * delayed. Returns the request.
   */
  after(delay: Millis): this {
    this.#delay = delay;
    return this;
  }

  /** Replies with `{ …fields, ok: 1 }`. `ok` can be one of the fields. */
  ok(fields: Plain = {}, extras: ReplyExtras = {}): void {
    const doc = okReply(fields, extras);
    this.#settle(replyLine(doc), { doc });
  }

  /** Replies with `{ ok: 0, errmsg, code, codeName, … }`. */
  error(code: number, { message = `Scripted error ${code}`, fields = {}, ...extras }: ErrorExtras = {}): void {
    const doc = errorReply(fail(code, message, [...typedFields(fields), ...extrasOf(extras)]));
    this.#settle(replyLine(doc), { doc });
  }

  /** Replies with a batch of documents: `nextBatch` for a getMore, `firstBatch` for any other command. */
  cursor(docs: readonly Plain[], { id = 0, ns = this.#namespace() }: CursorOptions = {}): void {
    const batch = this.name === 'getMore' ? 'nextBatch' : 'firstBatch';
    this.ok({ cursor: { [batch]: docs, id, ns } });
  }

  #namespace(): string {
    const target = this.#request.body.entries()[0]?.[1];
    const collection = this.name === 'getMore' ? this.#request.body.get('collection') : target;
    return `${this.db}.${typeof collection === 'string' ? collection : `$cmd.${this.name}`}`;
  }

  /**
   * Sends `{ …fields, ok: 1 }` as one of several replies (`moreToCome`). The request remains open: send the last reply
   * with `ok`, `error` or `cursor`.
   * @throws ScriptError if the request does not allow several replies (`exhaustAllowed`)
   */
  more(fields: Plain): void {
    this.#demand();
    if (!this.#request.exhaust)
      throw this.#mistake('allows only one reply, because it was sent without exhaustAllowed');
    const doc = okReply(fields);
    this.#carrier.transcript.went(this.connection.id, `${replyLine(doc)} (more to come)`);
    const answer = this.#resolve;
    const next = new Promise<Answer>(resolve => {
      this.#resolve = resolve as (answer: Answer | undefined) => void;
    });
    answer({ doc, next: () => next });
  }

  /** Closes the connection instead of replying. @param how default: `rst` */
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

  /** Sends exactly these bytes instead of a reply. They must include the header of the message. */
  raw(bytes: Uint8Array): void {
    this.#demand();
    this.#act(() => {
      this.#carrier.transcript.went(this.connection.id, `${bytes.length} raw bytes`);
      this.#carrier.peer.send(bytes.slice());
    });
  }

  /**
   * Returns the bytes of a reply with these fields, as an OP_MSG with its header. Nothing is sent: the test can change
   * the bytes, and send them with `raw`. `ok` is not added.
   */
  frame(fields: Plain): Uint8Array {
    const doc = Doc.of(typedFields(fields));
    const size = doc.byteLength;
    return writeMsg(doc, { requestId: 0, responseTo: this.requestId, checksum: false, more: false, size }).slice();
  }

  /**
   * Lets the server execute the intercepted command, unless it has already (`applied`), and send its own reply.
   * @throws ScriptError on a black pipe, because it cannot execute commands
   */
  proceed(): void {
    const { real } = this.#carrier;
    if (real === undefined)
      throw this.#mistake('was sent to a black pipe, which cannot execute commands: call another method to answer it');
    this.#demand();
    this.#state = 'answered';
    const go = async (): Promise<void> => {
      await this.#wait();
      const answer = await real();
      this.#carrier.transcript.went(this.connection.id, replyLine(answer.doc));
      this.#resolve(answer);
    };
    void go();
  }

  #mistake(what: string): ScriptError {
    return new ScriptError(
      `The request ${commandLine(this.name, this.#request.body)} ${what}.`,
      this.#carrier.transcript,
    );
  }

  #demand(): void {
    if (this.#state === 'answered') throw this.#mistake(this.silent ? 'expects no answer' : 'was answered already');
  }

  #settle(what: string, answer: Answer): void {
    this.#demand();
    this.#act(() => {
      this.#carrier.transcript.went(this.connection.id, what);
      this.#resolve(answer);
    });
  }

  /** Answers, after the delay if there is one. */
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
    // The wait ends early if the connection is closed.
    await clock.sleep(this.#delay, peer.signal).catch(() => undefined);
  }
}

/** Whether two names mean the same command. Only hello has several names. */
export const isNamed = (name: string, wanted: string): boolean => canonical(name) === canonical(wanted);

export const canonical = (name: string): string => (/^is[mM]aster$/.test(name) ? 'hello' : name);

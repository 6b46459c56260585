import type { Millis } from './clock.js';
import type { ServerType } from './server-type.js';
import type { Address } from './transport.js';
import type { Document, ObjectId } from './values.js';

/** One kind per reaction. */
export type ErrorKind =
  /** The socket failed: the server may be gone. */
  | 'network'
  /** The deadline passed: the server may be well. */
  | 'timeout'
  /** The server said no: `code`, `codeName` and `reply` tell what it said. */
  | 'server'
  /** The peer sent what MongoDB's protocol does not allow, or did not come to terms about TLS. */
  | 'protocol'
  /**
   * No connection. With a `cause` the pool was cleared by that error (or was never ready): the operation may be retried.
   * Without one the pool is closed, or had none free for too long: it may not. Neither says anything about the server.
   */
  | 'pool'
  /** No suitable server. */
  | 'selection'
  /** The server did not accept the credentials. */
  | 'auth'
  /** The caller asked for what cannot be: nothing was sent. */
  | 'usage'
  /** The client was closed, before the operation was sent or while it was under way. */
  | 'closed'
  /** The caller's signal aborted; `cause` is its reason. */
  | 'aborted';

/** How far an operation had come; `backoff` is the wait between two of its attempts. */
export type Phase =
  'select' | 'checkOut' | 'resolve' | 'proxy' | 'connect' | 'tls' | 'hello' | 'auth' | 'command' | 'backoff';

/** Where an error happened, as data: resume rules, NoWritesPerformed and pool clearing decide by it. */
export interface Origin {
  readonly phase: Phase;
  /** Whether the command may have reached the server. */
  readonly sent: boolean;
  readonly address?: Address | undefined;
  /** Of the pool when the connection was begun. */
  readonly generation?: number | undefined;
  readonly serviceId?: ObjectId | undefined;
  /** The type of the server when it was selected. */
  readonly serverType?: ServerType | undefined;
  /** The server's highest wire version; undefined before the handshake's hello was answered. */
  readonly maxWireVersion?: number | undefined;
  /** Whether the server supports sessions; undefined before the handshake's hello was answered. */
  readonly hasSessions?: boolean | undefined;
  /** The number of statements in the command; undefined if it has none. */
  readonly statements?: number | undefined;
  /** How long, where the time ran out in waiting. */
  readonly waited?: Millis | undefined;
}

/** One failed attempt of an operation that failed in the end. */
export interface AttemptRecord {
  /** Which attempt it was: the first is 1. */
  readonly number: number;
  readonly address: Address | undefined;
  /** What the server was known to be, if one had been chosen. */
  readonly server: ServerType | undefined;
  readonly phase: Phase | undefined;
  /** Since the operation began. */
  readonly after: Millis;
  readonly error: MongoError;
  /** Why it was retried, or why it was not: a plain sentence. */
  readonly because: string;
}

export interface MongoErrorOptions {
  readonly cause?: unknown;
  readonly labels?: readonly string[] | undefined;
  readonly code?: number | undefined;
  readonly codeName?: string | undefined;
  readonly reply?: Document | undefined;
  readonly origin?: Origin | undefined;
}

const brand: unique symbol = Symbol.for('@tessera/error') as never;

/**
 * The one error of all packages. Its message says what happened, where, how long it took, and what to do; its `kind` says
 * how to react. It never holds a secret. What would make a printed error long is behind accessors, which are not printed.
 */
export class MongoError extends Error {
  readonly kind: ErrorKind;
  declare readonly code: number | undefined;
  declare readonly codeName: string | undefined;
  readonly #reply: Document | undefined;
  #origin: Origin | undefined;
  #attempts: readonly AttemptRecord[] = [];
  #labels: readonly string[];

  constructor(kind: ErrorKind, message: string, options: MongoErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    Object.defineProperty(this, brand, { value: true });
    this.kind = kind;
    if (options.code !== undefined) this.code = options.code;
    if (options.codeName !== undefined) this.codeName = options.codeName;
    this.#reply = options.reply;
    this.#origin = options.origin;
    this.#labels = options.labels ?? [];
  }

  override get name(): string {
    return 'MongoError';
  }

  /** The server's whole answer, for kind `server`. */
  get reply(): Document | undefined {
    return this.#reply;
  }

  /** Set by whoever knows; the innermost knows best. */
  get origin(): Origin | undefined {
    return this.#origin;
  }
  set origin(origin: Origin | undefined) {
    this.#origin = origin;
  }

  /**
   * Every attempt of the operation, oldest first; none if it was refused before the first. Of more than two hundred, as there
   * may be under `timeoutMS: 0`, the first and the newest: their numbers tell how many were left out.
   */
  get attempts(): readonly AttemptRecord[] {
    return this.#attempts;
  }
  set attempts(attempts: readonly AttemptRecord[]) {
    this.#attempts = attempts;
  }

  /** The specification's public labels; nothing internal travels here. */
  get labels(): readonly string[] {
    return this.#labels;
  }

  addLabel(label: string): this {
    if (!this.#labels.includes(label)) this.#labels = [...this.#labels, label];
    return this;
  }

  /** True for an error of any copy of this package. */
  static is(error: unknown): error is MongoError {
    return typeof error === 'object' && error !== null && brand in error;
  }
}

import type { Millis } from './clock.js';
import type { Hello } from './hello.js';
import type { ServerType } from './server-type.js';
import type { Address } from './transport.js';
import type { Document, ObjectId } from './values.js';

/** The kind of an error. It determines how the driver and its caller react. */
export type ErrorKind =
  /** The socket failed. The server may be down. */
  | 'network'
  /**
   * A deadline, connectTimeoutMS or socketTimeoutMS passed. The server may be healthy. A deadline that passes during server selection
   * gives the kind `selection`, unless an earlier attempt has failed.
   */
  | 'timeout'
  /** The server replied with an error: see `code`, `codeName` and `reply`. */
  | 'server'
  /**
   * The peer violated MongoDB's protocol or does not support TLS, or a certificate is not trusted. If the connection closes during
   * the TLS handshake, the kind is `network`.
   */
  | 'protocol'
  /**
   * The pool did not provide a connection. With a `cause`, that error cleared the pool or kept it from becoming ready; the
   * operation may be retried. Without a cause, the pool is closed or the wait timed out; the operation must not be retried. A
   * `pool` error does not mean that the server failed.
   */
  | 'pool'
  /**
   * No suitable server was found in time. At once if a server is incompatible with the driver, or if the server of a cursor or
   * transaction has left the deployment.
   */
  | 'selection'
  /** The server rejected the credentials, the driver could not obtain credentials, or the authentication failed inside the driver. */
  | 'auth'
  /** The caller passed an invalid argument or made an invalid call. Nothing was sent. */
  | 'usage'
  /** The client was closed before or during the operation. */
  | 'closed'
  /** The caller's signal aborted. `cause` is the signal's reason. */
  | 'aborted';

/** The step of an operation in which an error occurred. `backoff` is the wait between two attempts. */
export type Phase =
  | 'select'
  | 'checkOut'
  | 'resolve'
  | 'proxy'
  | 'connect'
  | 'tls'
  | 'hello'
  | 'auth'
  | 'command'
  | 'backoff';

/**
 * Where an error occurred. The driver uses it to decide whether a change stream resumes, whether the operation is retried and
 * whether a pool is cleared.
 */
export interface Origin {
  /** The step at which the operation failed. */
  readonly phase: Phase;
  /** Whether the command may have reached the server. */
  readonly sent: boolean;
  /** The address of the server. Undefined: no server was selected. */
  readonly address?: Address | undefined;
  /** The generation of the pool when the connection was created: {@link ConnectionPool.clear}. */
  readonly generation?: number | undefined;
  /** Behind a load balancer: the id of the server that the connection reaches. */
  readonly serviceId?: ObjectId | undefined;
  /** The type of the server when it was selected. */
  readonly serverType?: ServerType | undefined;
  /** The server's maxWireVersion; undefined before the hello reply of the handshake. */
  readonly maxWireVersion?: number | undefined;
  /** Whether the server supports sessions; undefined before the hello reply of the handshake. */
  readonly hasSessions?: boolean | undefined;
  /** The number of statements in a write command; undefined for other commands. */
  readonly statements?: number | undefined;
  /** For a timeout: how long the operation waited, in milliseconds. */
  readonly waited?: Millis | undefined;
}

/** Returns the fields of an error's origin that come from the handshake. All are undefined without a hello reply. */
export const originFrom = (hello: Hello | undefined): Pick<Origin, 'serviceId' | 'maxWireVersion' | 'hasSessions'> => ({
  serviceId: hello?.serviceId,
  maxWireVersion: hello?.maxWireVersion,
  hasSessions: hello === undefined ? undefined : hello.logicalSessionTimeoutMinutes !== undefined,
});

/** Whether a connection is being opened in a phase. */
const opensConnection: Readonly<Record<Phase, boolean>> = {
  select: false,
  checkOut: false,
  resolve: true,
  proxy: true,
  connect: true,
  tls: true,
  hello: true,
  auth: true,
  command: false,
  backoff: false,
};

/** Returns whether an error occurred while a connection was being opened, from the resolution of the name to the authentication. */
export const failedWhileConnecting = ({ origin }: MongoError): boolean =>
  origin !== undefined && opensConnection[origin.phase];

/** One failed attempt of a failed operation. */
export interface AttemptRecord {
  /** The number of the attempt, counted from 1. */
  readonly number: number;
  /** The selected server; undefined if the attempt failed before the selection. */
  readonly address: Address | undefined;
  /** The type of the selected server. */
  readonly server: ServerType | undefined;
  /** The step that failed: {@link Origin.phase}. */
  readonly phase: Phase | undefined;
  /** The time from the start of the operation to the failure of the attempt, in milliseconds. */
  readonly after: Millis;
  /** Why the attempt failed. */
  readonly error: MongoError;
  /** Why the operation was retried or not, as a sentence. */
  readonly because: string;
}

/** The optional fields of a new {@link MongoError}. */
export interface MongoErrorOptions {
  /** The error of the network, system or application that led to this one. */
  readonly cause?: unknown;
  /** The error labels of the server and of the driver. */
  readonly labels?: readonly string[] | undefined;
  /** The server's error code. */
  readonly code?: number | string | undefined;
  /** The name of the server's error code. */
  readonly codeName?: string | undefined;
  /** The server's reply. */
  readonly reply?: Document | undefined;
  /** Where the error occurred. */
  readonly origin?: Origin | undefined;
}

/** The key of a property that errors of all copies of this package have, for {@link MongoError.is}. */
const brand: unique symbol = Symbol.for('@tessera/error') as never;

/**
 * The error class of all packages that the driver consists of. The `MongoError` of `@tessera/client` extends it; {@link FileError} does
 * not. The message says what failed, where, after how long, and what to do; `kind` determines how to
 * react. The message contains no secrets. `reply`, `origin`, `attempts` and `labels` are accessors, so a printed error omits them.
 */
export class MongoError extends Error {
  /** The kind of failure, such as `network` or `server`. It determines how to react to the error. */
  readonly kind: ErrorKind;
  /** The server's code, which is a number. A program may set a text on its own errors. Undefined for errors that the driver creates. */
  declare readonly code: number | string | undefined;
  /** The server's name of the code, such as `DuplicateKey`. */
  declare readonly codeName: string | undefined;
  readonly #reply: Document | undefined;
  #origin: Origin | undefined;
  #attempts: readonly AttemptRecord[] = [];
  #labels: readonly string[];

  /** Creates an error. `options` has the fields that are not derived from the kind, such as `cause` and `origin`. */
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

  /** The server's whole reply, for kind `server`. */
  get reply(): Document | undefined {
    return this.#reply;
  }

  /**
   * Where the error occurred. The part of the driver in which it occurs sets `phase` and `sent`, and outer parts keep both. The pool and
   * the attempt add the other fields, such as `address`.
   */
  get origin(): Origin | undefined {
    return this.#origin;
  }
  set origin(origin: Origin | undefined) {
    this.#origin = origin;
  }

  /**
   * The failed attempts of the operation, oldest first. Empty if the operation was rejected before the first attempt. After
   * more than 200 attempts, it contains the first and the newest 199; their `number` shows the gap.
   */
  get attempts(): readonly AttemptRecord[] {
    return this.#attempts;
  }
  set attempts(attempts: readonly AttemptRecord[]) {
    this.#attempts = attempts;
  }

  /** The error labels of MongoDB's specifications, such as `RetryableWriteError`. */
  get labels(): readonly string[] {
    return this.#labels;
  }

  /** Adds a label unless the error has it. */
  addLabel(label: string): this {
    if (!this.#labels.includes(label)) this.#labels = [...this.#labels, label];
    return this;
  }

  /** Returns whether a value is a MongoError of this or another copy of this package. */
  static is(error: unknown): error is MongoError {
    return typeof error === 'object' && error !== null && brand in error;
  }
}

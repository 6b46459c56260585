import { MongoError, originFrom, serverError, writeConcernError } from '@tessera/contracts';
import type {
  Attempt,
  BodyWriter,
  Connection,
  Deployment,
  Dispatch,
  Document,
  HeldBy,
  Lease,
  Message,
  Millis,
  Operation,
  Origin,
  Phase,
  Recover,
  Reply,
  Request,
  SectionWriter,
  Server,
  ServerDescription,
  Session,
  Signal,
  TopologyType,
} from '@tessera/contracts';
import { readPreferenceFor } from './read-preference.js';

/** The dependencies of an attempt. */
export interface AttemptDeps {
  /** Selects servers and receives every error of a command. */
  readonly deployment: Deployment;
  /** Called with the late reply of an aborted or timed out operation, after the connection is free again. */
  readonly late?: ((reply: Reply, attempt: Attempt, operation: Operation<unknown>) => void) | undefined;
}

/**
 * Creates the innermost dispatch. It selects a server, checks out a connection, sends the command once and reads the reply.
 * Every MongoError that it rejects with has an `origin`.
 */
export const createAttempt = (deps: AttemptDeps): Dispatch => {
  const run = <T>(request: Request<T>, recover: Recover<T> | undefined): Promise<T> =>
    new Promise((resolve, reject) => {
      new OneAttempt(deps, request, resolve, reject, recover).select();
    });
  return Object.assign(<T>(request: Request<T>) => run(request, undefined), { orElse: run });
};

/**
 * One attempt, in three steps: `select`, `checkOut`, `send`. It is the Message that the connection calls, and the Attempt that the
 * operation and the exchanges receive.
 */
class OneAttempt<T> implements Message, Attempt {
  readonly #deps: AttemptDeps;
  readonly #request: Request<T>;
  readonly #resolve: (value: T | Promise<T>) => void;
  readonly #rejectWith: (error: unknown) => void;
  readonly #recover: Recover<T> | undefined;
  /** The selected server. Set before other objects receive the attempt. */
  server!: ServerDescription;
  topology: TopologyType = 'Unknown';
  bodyLength = 0;
  statements = 0;
  #lease!: Lease;
  /** Whether a cursor or transaction keeps the lease, so that the attempt must not release it. */
  #held = false;
  #written = false;
  #settled = false;
  #value: T | undefined = undefined;
  #failed = false;
  #error: unknown = undefined;
  /** The error in the server's reply, to report to the deployment. */
  #replyError: MongoError | undefined = undefined;
  #onAbort: (() => void) | undefined = undefined;

  constructor(
    deps: AttemptDeps,
    request: Request<T>,
    resolve: (value: T | Promise<T>) => void,
    reject: (error: unknown) => void,
    recover: Recover<T> | undefined,
  ) {
    this.#deps = deps;
    this.#request = request;
    this.#resolve = resolve;
    this.#rejectWith = reject;
    this.#recover = recover;
  }

  select(): void {
    try {
      this.#select();
    } catch (error) {
      this.#reject(error);
    }
  }

  #select(): void {
    const request = this.#request;
    // Read before each attempt, because the session may have been pinned or unpinned since the previous one.
    const pin = request.session?.pin ?? request.pin;
    if (pin !== undefined && 'lease' in pin) return this.#continueOn(pin.lease);
    const server = this.#deps.deployment.select(request, pin?.address);
    if (!(server instanceof Promise)) return this.#checkOut(server);
    server
      .then(
        chosen => this.#checkOut(chosen),
        (error: unknown) => this.#rejectUnsent('select', error),
      )
      .catch((error: unknown) => this.#reject(error));
  }

  #checkOut({ description, pool, checkOutBy }: Server): void {
    const request = this.#request;
    this.server = description;
    const options = checkOutBy === undefined ? request : { deadline: checkOutBy, signal: request.signal };
    const lease = pool.checkOut(options);
    if (!(lease instanceof Promise)) return this.#send(lease);
    lease.then(
      given => this.#send(given),
      // The pool has reported a failed handshake to the deployment.
      (error: unknown) => this.#rejectUnsent('checkOut', error),
    );
  }

  /** Sends the command on the connection of a cursor or transaction. Rule: Load Balancers, "Connection Pinning". */
  #continueOn(lease: Lease): void {
    const { address } = lease.connection;
    const server = this.#deps.deployment.description.servers.get(address);
    if (server !== undefined) {
      this.server = server;
      this.#held = true;
      return this.#send(lease);
    }
    this.#rejectUnsent(
      'select',
      new MongoError(
        'selection',
        `${this.name} is pinned to a connection to ${address}, which is no longer part of the deployment. Start the cursor or transaction again.`,
        { origin: { phase: 'select', sent: false, address } },
      ),
    );
  }

  get db(): string {
    return this.#request.operation.db;
  }
  get name(): string {
    return this.#request.operation.name;
  }
  get operationId(): number {
    return this.#request.id;
  }
  get answer(): Message['answer'] {
    return this.#request.operation.answer;
  }
  get connection(): Connection {
    return this.#lease.connection;
  }
  get session(): Session | undefined {
    return this.#request.session;
  }
  get deadline(): Millis {
    return this.#request.deadline;
  }
  get failures(): readonly MongoError[] {
    return this.#request.failures;
  }

  /** Rejects with an error of selection or checkout, after passing it to the session. */
  #rejectUnsent(phase: Phase, error: unknown): void {
    this.#located(error, phase);
    if (MongoError.is(error)) this.session?.failed(error, this.#request.operation);
    this.#reject(error);
  }

  hold(by: HeldBy): Lease {
    this.#held = true;
    this.#lease.hold(by);
    return this.#lease;
  }

  #send(lease: Lease): void {
    const { signal, deadline } = this.#request;
    this.#lease = lease;
    this.topology = this.#deps.deployment.description.type;
    try {
      if (signal !== undefined) {
        if (signal.aborted) return this.fail(this.#aborted());
        this.#watch(signal);
      }
      this.connection.start(this, deadline);
    } catch (error) {
      // The signal threw, or the command cannot be encoded. Nothing was sent.
      this.fail(error);
    }
  }

  /** Aborts the attempt with the signal. Does not use `limitWait`, which needs more closures per operation. */
  #watch(signal: Signal): void {
    const onAbort = (): void => {
      const error = this.#aborted();
      void this.connection.detach(error);
      this.fail(error);
    };
    signal.addEventListener('abort', onAbort);
    this.#onAbort = onAbort;
  }

  /** Writes the whole command. The name of the command must be its first element; the order of the rest does not matter. */
  body(writer: BodyWriter): void {
    const { operation, exchanges } = this.#request;
    const start = writer.length;
    operation.body(writer, this);
    this.bodyLength = writer.length - start;
    writeConcerns(writer, this, operation);
    for (const exchange of exchanges) exchange.append(writer, this, operation);
    // Behind a load balancer, only the connection's hello has the version of the server.
    const { maxWireVersion } = this.connection.hello;
    const preference = readPreferenceFor(operation, this.topology, this.server.type, maxWireVersion);
    if (preference !== undefined) writer.value('$readPreference', preference);
    writer.elements(operation.database);
    this.#written = true;
  }

  sections(writer: SectionWriter): void {
    this.statements = this.#request.operation.sections?.(writer, this) ?? 0;
  }

  reply(reply: Reply): void {
    const { operation, exchanges } = this.#request;
    try {
      for (const exchange of exchanges) exchange.received(reply, this, operation);
      if (!reply.ok) {
        this.#replyError = serverError(reply.document(), this.#originOf('command', true));
        throw this.#replyError;
      }
      if (operation.kind !== 'read' && reply.has('writeConcernError'))
        this.#replyError = writeConcernError(reply.document(), this.#originOf('command', true));
      this.#value = operation.read(reply, this);
    } catch (error) {
      if (this.#failed) return;
      this.#failed = true;
      this.#error = error;
    }
  }

  end(): void {
    if (this.#settled) return;
    const { operation } = this.#request;
    try {
      this.#settle();
      if (!this.#failed && operation.answer === 'none') this.#value = operation.unanswered?.(this);
      // Report first, so that the description and the pool are updated before the connection is released.
      if (this.#replyError !== undefined) this.#deps.deployment.report(this.#replyError);
      if (this.#failed) {
        const error = this.#located(this.#error);
        // The session may release a connection that its transaction has kept.
        if (MongoError.is(error)) this.#request.session?.failed(error, operation);
      }
    } catch (error) {
      this.#failed = true;
      this.#error = error;
    }
    if (!this.#held) this.#lease.release();
    if (this.#failed) this.#reject(this.#error);
    else this.#resolve(this.#value as T);
  }

  fail(reason: unknown): void {
    if (this.#settled) return;
    let error: unknown;
    let known: MongoError | undefined;
    try {
      if (MongoError.is(reason)) known = reason;
      this.#settle();
      error = this.#located(reason);
      if (known !== undefined) {
        this.#deps.deployment.report(known);
        this.#request.session?.failed(known, this.#request.operation);
      }
    } catch (thrown) {
      error = thrown;
    }
    this.#releaseAfterReply(known);
    this.#reject(error);
  }

  late(reply: Reply): void {
    // A cursor or transaction that keeps the connection cleans up on the server itself.
    if (!this.#held) this.#deps.late?.(reply, this, this.#request.operation);
  }

  /** Releases the connection, or does so after an outstanding reply has arrived. The caller does not wait for that. */
  #releaseAfterReply(error: MongoError | undefined): void {
    // The cursor or transaction that keeps the connection releases it. Another command may be running there.
    if (this.#held) return;
    const free = error === undefined || this.connection.detach(error);
    if (free instanceof Promise)
      void free.then(() => {
        // The handling of the late reply may keep the connection for another command.
        if (!this.#held) this.#lease.release();
      });
    else this.#lease.release();
  }

  #settle(): void {
    this.#settled = true;
    if (this.#onAbort !== undefined) this.#request.signal?.removeEventListener('abort', this.#onAbort);
  }

  #reject(error: unknown): void {
    if (this.#recover === undefined) this.#rejectWith(error);
    else this.#resolve(this.#recover(error));
  }

  #aborted(): MongoError {
    const { signal, operation } = this.#request;
    return new MongoError(
      'aborted',
      `${operation.name} at ${this.server.address} was aborted by its signal${this.#written ? ' after it had been sent; the server may still finish it' : ''}.`,
      { cause: signal?.reason },
    );
  }

  #located(error: unknown, here: Phase = 'command'): unknown {
    if (MongoError.is(error)) {
      const { phase, sent } = error.origin ?? { phase: here, sent: this.#written };
      error.origin = this.#originOf(phase, sent, error.origin);
    }
    return error;
  }

  /** Returns the error's own origin, with its missing fields filled in from the attempt. */
  #originOf(phase: Phase, sent: boolean, known?: Origin): Origin {
    const server = this.server as ServerDescription | undefined;
    const lease = this.#lease as Lease | undefined;
    const ofHandshake = originFrom(lease?.connection.hello);
    return {
      phase,
      sent,
      address: known?.address ?? server?.address,
      generation: known?.generation ?? lease?.generation,
      serviceId: known?.serviceId ?? ofHandshake.serviceId,
      serverType: known?.serverType ?? server?.type,
      maxWireVersion: known?.maxWireVersion ?? ofHandshake.maxWireVersion,
      hasSessions: known?.hasSessions ?? ofHandshake.hasSessions,
      statements: known?.statements ?? (this.statements === 0 ? undefined : this.statements),
      waited: known?.waited,
    };
  }
}

/** Writes the read and write concern of a command, as its session determines them. Rule: Read and Write Concern; Causal Consistency; Transactions. */
export const writeConcerns = (writer: BodyWriter, attempt: Attempt, operation: Operation<unknown>): void => {
  const { session, deadline } = attempt;
  const readConcern = session === undefined ? operation.readConcern : session.readConcern(operation, attempt);
  if (readConcern !== undefined && readConcern !== 'none') writer.value('readConcern', readConcern);
  const given = session === undefined ? operation.writeConcern : session.writeConcern(operation, attempt);
  const writeConcern = given === undefined || deadline === Infinity ? given : withoutLimit(given);
  if (writeConcern !== undefined) writer.value('writeConcern', writeConcern);
};

/** Returns the write concern without wtimeout, which timeoutMS replaces. Rule: Client Side Operations Timeout, "Validation and Overrides". */
const withoutLimit = (writeConcern: Document): Document | undefined => {
  if (!('wtimeout' in writeConcern)) return writeConcern;
  const { wtimeout: _, ...rest } = writeConcern;
  return Object.keys(rest).length === 0 ? undefined : rest;
};

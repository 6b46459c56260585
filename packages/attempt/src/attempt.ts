import { MongoError, originFrom, serverError, writeConcernError } from '@tessera/contracts';
import type {
  Attempt,
  BodyWriter,
  Connection,
  Deployment,
  Dispatch,
  HeldBy,
  Lease,
  Message,
  Millis,
  Operation,
  Origin,
  Phase,
  Reply,
  Request,
  SectionWriter,
  Server,
  ServerDescription,
  Session,
  Signal,
  TopologyType,
} from '@tessera/contracts';
import { writeConcerns } from './concerns.js';
import { readPreferenceFor } from './read-preference.js';

export interface AttemptDeps {
  readonly deployment: Deployment;
  /** Receives the late reply to an operation that was aborted or timed out, on a connection that is free again. */
  readonly late?: ((reply: Reply, attempt: Attempt, operation: Operation<unknown>) => void) | undefined;
}

/**
 * The innermost dispatch: selects a server, checks out one of its connections, sends the command once and reads the reply.
 * It rejects with what went wrong; `origin` says where.
 */
export const createAttempt =
  (deps: AttemptDeps): Dispatch =>
  <T>(request: Request<T>): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      new OneAttempt(deps, request, resolve, reject).select();
    });

/** One object per attempt, in three steps: `select`, `checkOut`, `send`. The connection calls it; operation and exchanges see it. */
class OneAttempt<T> implements Message, Attempt {
  readonly #deps: AttemptDeps;
  readonly #request: Request<T>;
  readonly #resolve: (value: T) => void;
  readonly #reject: (error: unknown) => void;
  /** The selected server; nobody else sees the attempt before. */
  server!: ServerDescription;
  topology: TopologyType = 'Unknown';
  bodyLength = 0;
  statements = 0;
  #lease!: Lease;
  /** Someone else keeps the lease, so it is not released here. */
  #held = false;
  #written = false;
  #settled = false;
  #value: T | undefined = undefined;
  #failed = false;
  #error: unknown = undefined;
  /** The server's error, which the deployment must know. */
  #refused: MongoError | undefined = undefined;
  #onAbort: (() => void) | undefined = undefined;

  constructor(deps: AttemptDeps, request: Request<T>, resolve: (value: T) => void, reject: (error: unknown) => void) {
    this.#deps = deps;
    this.#request = request;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  select(): void {
    const deps = this.#deps;
    const request = this.#request;
    // Read before each attempt: a session may have been pinned or unpinned since the last.
    const pin = request.session?.pin ?? request.pin;
    if (pin !== undefined && 'lease' in pin) return this.#continueOn(pin.lease);
    const server = deps.deployment.select(request, pin?.address);
    if (server instanceof Promise)
      server.then(
        chosen => {
          try {
            this.#checkOut(chosen);
          } catch (error) {
            this.#reject(error);
          }
        },
        (error: unknown) => {
          this.#rejectUnsent('select', error);
        },
      );
    else this.#checkOut(server);
  }

  #checkOut({ description, pool, checkOutBy }: Server): void {
    const request = this.#request;
    this.server = description;
    const options = checkOutBy === undefined ? request : { deadline: checkOutBy, signal: request.signal };
    const lease = pool.checkOut(options);
    if (lease instanceof Promise)
      lease.then(
        given => {
          this.#send(given);
        },
        // The pool has reported what the deployment must know of a handshake that failed.
        (error: unknown) => {
          this.#rejectUnsent('checkOut', error);
        },
      );
    else this.#send(lease);
  }

  /** On a connection that a cursor or transaction keeps. Rule: Load Balancers, "Connection Pinning". */
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
        `The connection that ${this.name} is bound to leads to ${address}, which is no longer part of the deployment. Start the cursor or transaction again.`,
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

  /** For errors of selection and checkout; the session hears of them, too. */
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
      // The signal threw, or the operation cannot be written: nothing was sent.
      this.fail(error);
    }
  }

  /** In place of `limitWait`, which would cost more closures for each operation with a signal. */
  #watch(signal: Signal): void {
    const onAbort = (): void => {
      const error = this.#aborted();
      void this.connection.detach(error);
      this.fail(error);
    };
    signal.addEventListener('abort', onAbort);
    this.#onAbort = onAbort;
  }

  /** The one place that puts a command together; its name must come first, and the rest may be in any order. */
  body(writer: BodyWriter): void {
    const { operation, exchanges } = this.#request;
    const start = writer.length;
    operation.body(writer, this);
    this.bodyLength = writer.length - start;
    writeConcerns(writer, this, operation);
    for (const exchange of exchanges) exchange.append(writer, this, operation);
    // Of what stands behind a load balancer only the connection knows the version.
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
        this.#refused = serverError(reply.document(), this.#originOf('command', true));
        throw this.#refused;
      }
      if (operation.kind !== 'read' && reply.has('writeConcernError'))
        this.#refused = writeConcernError(reply.document(), this.#originOf('command', true));
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
      // First the description and the pool, then the connection goes back.
      if (this.#refused !== undefined) this.#deps.deployment.report(this.#refused);
      if (this.#failed) {
        const error = this.#located(this.#error);
        // It may give back a connection that a transaction has kept.
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
    this.#giveBack(known);
    this.#reject(error);
  }

  late(reply: Reply): void {
    // A cursor or transaction that holds the connection ends what the server keeps for it.
    if (!this.#held) this.#deps.late?.(reply, this, this.#request.operation);
  }

  /** A connection that still owes an answer goes back when it has come; the caller does not wait for that. */
  #giveBack(error: MongoError | undefined): void {
    // That is up to whoever holds it: if it was refused because it is busy, another's command is under way there.
    if (this.#held) return;
    const free = error === undefined || this.connection.detach(error);
    if (free instanceof Promise)
      void free.then(() => {
        // The late reply may have led to a command that keeps the connection.
        if (!this.#held) this.#lease.release();
      });
    else this.#lease.release();
  }

  #settle(): void {
    this.#settled = true;
    if (this.#onAbort !== undefined) this.#request.signal?.removeEventListener('abort', this.#onAbort);
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

  /** The error's own origin takes precedence. Fields that it lacks are filled in, as far as the attempt has come. */
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

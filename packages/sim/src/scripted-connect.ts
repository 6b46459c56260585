/** Connections without a server, for tests of pools. The test decides what each handshake does. */
import type {
  Address,
  Clock,
  Connect,
  ConnectOptions,
  Connection,
  Document,
  Hello,
  Message,
  Millis,
  MongoErrorOptions,
  ObjectId,
} from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';

/** The behavior of one handshake. */
export interface HandshakeStep {
  /** The duration. Default 1. Infinity: the handshake never ends by itself. */
  readonly after?: Millis;
  /** Creates the error with which the handshake fails. */
  readonly fail?: () => unknown;
  /** The service id that the server reports behind a load balancer. */
  readonly serviceId?: ObjectId | undefined;
}

export interface ScriptedConnection extends Connection {
  /** The argument of `close`, if it was called. */
  readonly closing: { readonly cause: MongoError | undefined } | undefined;
  /** Simulates that the server closed the socket. */
  breakOff(): void;
}

export interface ConnectScript {
  readonly connect: Connect;
  /** The connections whose handshake succeeded, oldest first. */
  readonly connections: readonly ScriptedConnection[];
  /** The number of handshakes in progress. */
  readonly pending: number;
  /** The options of every call, oldest first. */
  readonly calls: readonly ConnectOptions[];
  /** Sets the steps of the next handshakes, one each. Later handshakes use the usual step. */
  next(...steps: readonly HandshakeStep[]): void;
  /** Sets the step of handshakes for which `next` gave none. */
  usually(step: HandshakeStep): void;
}

const helloOf = (serviceId: ObjectId | undefined, connectionId: number): Hello => ({
  document: { ok: 1 },
  serviceId,
  connectionId: BigInt(connectionId),
  maxWireVersion: 25,
  logicalSessionTimeoutMinutes: 30,
  maxBsonObjectSize: 16_777_216,
  maxMessageSizeBytes: 48_000_000,
  maxWriteBatchSize: 100_000,
  roundTrip: 1,
});

const mute = (options: MongoErrorOptions = {}): MongoError =>
  new MongoError(
    'usage',
    'A scripted connection sends no commands. It can only be checked out, closed and checked in.',
    options,
  );

class Scripted implements ScriptedConnection {
  readonly id: number;
  readonly address: Address;
  readonly hello: Hello;
  closed = false;
  closing: { readonly cause: MongoError | undefined } | undefined;

  readonly #ended: ConnectOptions['ended'];

  constructor({ id, ended }: ConnectOptions, address: Address, hello: Hello) {
    this.id = id;
    this.address = address;
    this.hello = hello;
    this.#ended = ended;
  }

  start(message: Message): void {
    message.fail(mute());
  }

  command(): Promise<Document> {
    return Promise.reject(mute());
  }

  detach(): boolean {
    return !this.closed;
  }

  close(cause?: MongoError): void {
    this.closing ??= { cause };
    this.#end();
  }

  breakOff(): void {
    this.#end();
  }

  #end(): void {
    if (this.closed) return;
    this.closed = true;
    this.#ended?.();
  }
}

/**
 * Returns a {@link Connect} whose handshakes take the scripted time on the given clock, and fail if the script says so.
 */
export const scriptConnect = ({ clock }: { readonly clock: Clock }): ConnectScript => {
  const connections: ScriptedConnection[] = [];
  const calls: ConnectOptions[] = [];
  const steps: HandshakeStep[] = [];
  let usual: HandshakeStep = {};
  let pending = 0;

  const connect: Connect = async (to, options) => {
    calls.push(options);
    const { after = 1, fail, serviceId } = steps.shift() ?? usual;
    pending += 1;
    try {
      if (after === Infinity) await forever(options);
      else await clock.sleep(after, options.signal);
    } catch (reason) {
      throw new MongoError('aborted', `The handshake with ${to} was aborted.`, {
        cause: reason,
        origin: { phase: 'hello', sent: false, address: to },
      });
    } finally {
      pending -= 1;
    }
    if (fail !== undefined) throw fail();
    const connection = new Scripted(options, to, helloOf(serviceId, options.id));
    connections.push(connection);
    return connection;
  };

  return {
    connect,
    connections,
    get pending() {
      return pending;
    },
    calls,
    next: (...more) => void steps.push(...more),
    usually: step => {
      usual = step;
    },
  };
};

const forever = ({ signal }: ConnectOptions): Promise<never> =>
  new Promise((_, reject) => {
    signal?.addEventListener('abort', () => {
      reject(signal.reason);
    });
  });

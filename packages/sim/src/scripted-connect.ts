/** Connections that were never made: what a pool needs of them, in the hands of a test. */
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

/** What becomes of one handshake. */
export interface HandshakeStep {
  /** How long it takes. Default 1; Infinity: it never ends by itself. */
  readonly after?: Millis;
  /** What it fails with; made anew for each. */
  readonly fail?: () => unknown;
  /** The service that answers behind a load balancer. */
  readonly serviceId?: ObjectId | undefined;
}

export interface ScriptedConnection extends Connection {
  /** What `close` was called with, if it was. */
  readonly closing: { readonly cause: MongoError | undefined } | undefined;
  /** As if the server had closed the socket. */
  breakOff(): void;
}

export interface ConnectScript {
  readonly connect: Connect;
  /** Those whose handshake was done, oldest first. */
  readonly connections: readonly ScriptedConnection[];
  /** Handshakes under way. */
  readonly pending: number;
  /** The options of every call, oldest first. */
  readonly calls: readonly ConnectOptions[];
  /** Handshakes that follow take these steps, one each; then the usual one again. */
  next(...steps: readonly HandshakeStep[]): void;
  /** From now on the usual step. */
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
    'A scripted connection speaks no protocol: it can only be held, closed and given back.',
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

/** A {@link Connect} whose handshakes take what time the script says, on the given clock, and fail when it says so. */
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
      throw new MongoError('aborted', `The handshake with ${to} was aborted`, {
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

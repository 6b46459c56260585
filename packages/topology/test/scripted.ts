/** Servers, connections and pools whose behavior a test scripts, in the virtual time of a world. */
import { bson } from '@tessera/bson';
import { Cancellation, MongoError } from '@tessera/contracts';
import type {
  Address,
  Clock,
  Connect,
  ConnectOptions,
  Connection,
  ConnectionPool,
  Document,
  DriverEvent,
  EventSink,
  Hello,
  HeldBy,
  Lease,
  Message,
  Millis,
  OpenPool,
  Operation,
  Request,
  Soon,
} from '@tessera/contracts';
import { createWorld } from '@tessera/sim';
import type { World, WorldOptions } from '@tessera/sim';
import { ObjectId } from 'bson';

export const world = (options: WorldOptions = {}): World =>
  createWorld({ turn: () => new Promise(resolve => setImmediate(resolve)) }, options);

export const helloOf = (document: Document = {}, roundTrip: Millis = 2): Hello => ({
  document,
  serviceId: undefined,
  connectionId: undefined,
  maxWireVersion: 25,
  logicalSessionTimeoutMinutes: 30,
  maxBsonObjectSize: 16_777_216,
  maxMessageSizeBytes: 48_000_000,
  maxWriteBatchSize: 100_000,
  roundTrip,
});

/** Decodes the command that a message writes. */
export const written = (message: Message): Document => {
  const writer = bson.writer();
  writer.begin(0);
  message.body(writer);
  writer.endBody();
  return bson.read(writer.take()).document();
};

export type Answer = Document | MongoError | 'silence';

/** A connection that gives scripted replies in order and records the commands. */
export class ScriptedConnection implements Connection {
  readonly id: number;
  readonly address: Address;
  readonly hello: Hello;
  closed = false;
  /** While a function is set, `detach` stays pending until the test calls it. */
  owed: ((usable: boolean) => void) | undefined = undefined;
  readonly asked: Document[] = [];
  readonly answers: Answer[] = [];
  underWay: Message | undefined = undefined;

  constructor(address: Address, hello: Hello = helloOf(), id = 1) {
    this.address = address;
    this.hello = hello;
    this.id = id;
  }

  start(message: Message): void {
    this.asked.push(written(message));
    if (message.answer === 'none') return message.end();
    const answer = this.answers.shift() ?? { ok: 1 };
    if (answer === 'silence') {
      this.underWay = message;
      return;
    }
    if (MongoError.is(answer)) return message.fail(answer);
    this.reply(message, answer);
  }

  reply(message: Message, answer: Document): void {
    const writer = bson.writer();
    writer.begin(0);
    writer.fields(answer);
    writer.endBody();
    message.reply(bson.read(writer.take()));
    message.end();
  }

  command(): Promise<Document> {
    return Promise.reject(new MongoError('usage', 'not scripted'));
  }

  detach(error: MongoError): Soon<boolean> {
    const message = this.underWay;
    if (message !== undefined) {
      this.underWay = undefined;
      this.drain = new Promise(resolve => (this.owed = resolve));
      message.fail(error);
    }
    return this.owed === undefined ? !this.closed : this.drain;
  }
  private drain: Promise<boolean> = Promise.resolve(true);

  close(cause?: MongoError): void {
    this.closed = true;
    const message = this.underWay;
    this.underWay = undefined;
    if (cause !== undefined) message?.fail(cause);
  }
}

/** A pool with one connection for all leases. It records every call. */
export class ScriptedPool implements ConnectionPool {
  load = 0;
  readonly log: string[] = [];
  readonly connection: ScriptedConnection;
  generation = 0;
  /** Check-out fails with this error if it is set. */
  refuses: MongoError | undefined = undefined;
  later = false;
  onClear: (() => void) | undefined = undefined;
  /** The argument of the last `close` or `interrupt`. */
  closedFor: MongoError | undefined = undefined;

  constructor(connection: ScriptedConnection) {
    this.connection = connection;
  }

  checkOut(): Soon<Lease> {
    if (this.refuses !== undefined) return Promise.reject(this.refuses);
    this.log.push('check out');
    this.load++;
    const lease: Lease = {
      connection: this.connection,
      generation: this.generation,
      hold: (by: HeldBy) => this.log.push(`held by ${by}`),
      release: () => {
        this.load--;
        this.log.push('release');
      },
    };
    return this.later ? Promise.resolve(lease) : lease;
  }
  ready(): void {
    this.log.push('ready');
  }
  clear({ interruptInUse }: { readonly interruptInUse?: boolean }): void {
    this.generation++;
    this.log.push(interruptInUse === true ? 'clear, interrupt' : 'clear');
    this.onClear?.();
  }
  close(cause?: MongoError): void {
    this.log.push('close');
    this.closedFor = cause;
  }
  interrupt(cause: MongoError): void {
    this.log.push('interrupt');
    this.closedFor = cause;
  }
}

/** The current behavior of a monitored server. */
export interface ScriptedServer {
  hello: Document;
  /** The duration of hello, on an open connection or in its handshake. */
  delay: Millis;
  /** The error with which hello fails after the delay, if there is one. */
  failure: MongoError | undefined;
  /** The server never answers. */
  isSilent: boolean;
  /** The number of replies to one awaitable hello. The last one has no moreToCome. */
  pushes: number;
  /** The server answers awaitable hellos without waiting. */
  isHasty: boolean;
  /** Callbacks that wait for a change. */
  readonly onChange: Set<() => void>;
  /** Every check with its time. */
  readonly checks: string[];
  openConnections: number;
}

export const server = (hello: Document): ScriptedServer => ({
  hello: { ok: 1, helloOk: true, maxWireVersion: 25, minWireVersion: 0, logicalSessionTimeoutMinutes: 30, ...hello },
  delay: 2,
  failure: undefined,
  isSilent: false,
  pushes: Infinity,
  isHasty: false,
  onChange: new Set(),
  checks: [],
  openConnections: 0,
});

export const primary = (hosts: readonly Address[], more: Document = {}): Document => ({
  isWritablePrimary: true,
  setName: 'rs',
  hosts,
  setVersion: 1,
  ...more,
});

export const secondary = (hosts: readonly Address[], more: Document = {}): Document => ({
  isWritablePrimary: false,
  secondary: true,
  setName: 'rs',
  hosts,
  ...more,
});

/** Adds these fields to the server's hello replies, with a newer topologyVersion if it has one. */
export const change = (met: ScriptedServer, more: Document): void => {
  const version = met.hello['topologyVersion'] as { readonly counter: number } | undefined;
  const topologyVersion =
    version === undefined ? {} : { topologyVersion: { ...version, counter: version.counter + 1 } };
  met.hello = { ...met.hello, ...more, ...topologyVersion };
  for (const wake of [...met.onChange]) wake();
};

/** The additional hello fields of a server that supports streaming. */
export const streaming: Document = {
  topologyVersion: { processId: new ObjectId('0123456789abcdef01234567'), counter: 0 },
};

/** Resolves when the server has changed or the time limit has passed. */
const changeOf = async (met: ScriptedServer, clock: Clock, within: Millis, closing: Cancellation): Promise<void> => {
  if (met.isHasty) return;
  const until = new Cancellation();
  const stop = (): void => {
    until.abort(undefined);
  };
  met.onChange.add(stop);
  closing.addEventListener('abort', stop);
  await clock.sleep(within, until).catch(() => undefined);
  met.onChange.delete(stop);
  closing.removeEventListener('abort', stop);
};

/** Opens connections of monitors to scripted servers. */
export const connectTo = (servers: Readonly<Record<Address, ScriptedServer>>, clock: Clock): Connect => {
  const visit = async (to: Address, what: string, options: Pick<ConnectOptions, 'deadline' | 'signal'>) => {
    const began = clock.now();
    const met = servers[to];
    met?.checks.push(`${began} ${what}`);
    const wait = met?.isSilent === true ? Infinity : (met?.delay ?? 1);
    if (began + wait >= options.deadline) {
      await clock.sleep(options.deadline - began, options.signal);
      throw new MongoError('timeout', `${to} did not answer within ${options.deadline - began} ms`);
    }
    await clock.sleep(wait, options.signal);
    if (met === undefined) throw new MongoError('network', `${to} does not exist`);
    if (met.failure !== undefined) throw met.failure;
    return met;
  };

  return async (to, options) => {
    const met = await visit(to, `connect ${options.use} ${options.id}`, options);
    met.openConnections++;
    const closing = new Cancellation();
    const connection: Connection = {
      id: options.id,
      address: to,
      hello: helloOf({ ...met.hello }, met.delay),
      get closed() {
        return closing.aborted;
      },
      start: () => undefined,
      detach: () => true,
      command: async (db, command, deadline, many) => {
        const what = `${db}.${String(Object.keys(command)[0])}`;
        if (many === undefined) {
          const { hello } = await visit(to, what, { deadline, signal: closing });
          return { ...hello };
        }
        met.checks.push(`${clock.now()} ${what} awaited`);
        let until = deadline;
        for (let sent = 1; ; sent++) {
          const patience = until - clock.now();
          await changeOf(met, clock, Number(command['maxAwaitTimeMS']), closing);
          if (met.isSilent) await clock.sleep(until - clock.now(), closing);
          if (closing.aborted) throw closing.reason;
          if (met.failure !== undefined) throw met.failure;
          if (met.isSilent) throw new MongoError('timeout', `${to} did not answer within ${patience} ms`);
          many.received({ ...met.hello });
          if (closing.aborted) throw closing.reason;
          if (sent >= met.pushes) return { ...met.hello };
          until = clock.now() + many.limit;
          // Other replies of the same packet arrive in a later microtask.
          if (met.isHasty) await Promise.resolve();
        }
      },
      close: () => {
        if (closing.aborted) return;
        met.openConnections--;
        closing.abort(new MongoError('network', `the connection to ${to} was closed`));
      },
    };
    return connection;
  };
};

export const poolsOf = (): { readonly open: OpenPool; readonly byAddress: Map<Address, ScriptedPool> } => {
  const byAddress = new Map<Address, ScriptedPool>();
  return {
    byAddress,
    open: address => {
      const pool = new ScriptedPool(new ScriptedConnection(address));
      byAddress.set(address, pool);
      return pool;
    },
  };
};

export const listen = (): EventSink & { readonly emitted: DriverEvent[] } => {
  const emitted: DriverEvent[] = [];
  return { emitted, wants: () => true, emit: event => emitted.push(event) };
};

export const operation = <T>(given: Partial<Operation<T>> & Pick<Operation<T>, 'read'>): Operation<T> => ({
  name: 'ping',
  db: 'test',
  kind: 'read',
  retryable: true,
  selection: { mode: 'primary' },
  answer: 'one',
  readConcern: 'none',
  database: bson.elements({ $db: 'test' }),
  body: writer => {
    writer.int32('ping', 1);
  },
  ...given,
});

export const request = <T>(of: Operation<T>, more: Partial<Request<T>> = {}): Request<T> => ({
  operation: of,
  id: 7,
  deadline: Infinity,
  signal: undefined,
  session: undefined,
  pin: undefined,
  exchanges: [],
  failures: [],
  avoid: [],
  ...more,
});

export const ping: Operation<boolean> = operation({ read: reply => reply.ok });

/** Returns the error with which a promise rejects. */
export const failureOf = async (promise: Promise<unknown>): Promise<MongoError> => {
  const error = await promise.then(
    value => new Error(`expected a failure, got ${String(value)}`),
    (reason: unknown) => reason,
  );
  if (MongoError.is(error)) return error;
  throw error;
};

/** Connections with a single state and a single timer each. */
import type {
  Compressor,
  Connect,
  ConnectDeps,
  Connection,
  ConnectionOptions,
  ConnectOptions,
  CreateConnect,
  Document,
  Elements,
  ErrorKind,
  EventMap,
  Hello,
  ManyReplies,
  Message,
  Millis,
  Phase,
  Reply,
  Socket,
  Soon,
  Timer,
} from '@tessera/contracts';
import {
  MongoError,
  nativeTls,
  noLimit,
  numberOf,
  objectIdOf,
  originFrom,
  serverError,
  waitFor,
  wholeOf,
} from '@tessera/contracts';

const secrets = new Set(['authenticate', 'saslstart', 'saslcontinue', 'getnonce', 'createuser', 'updateuser']);
const isSecret = (name: string): boolean => secrets.has(name.toLowerCase());
const isHello = (name: string): boolean => ['hello', 'ismaster'].includes(name.toLowerCase());
const nothing = (): void => undefined;

interface Shared extends Omit<ConnectDeps, 'compressors'> {
  readonly declared: Elements | undefined;
  readonly socketTimeout: Millis;
  readonly drainLimit: Millis;
  readonly nextId: () => number;
}

/** The message in progress. */
interface Current {
  readonly message: Message;
  readonly requestId: number;
  readonly deadline: Millis;
  readonly began: Millis;
  awaited: number;
  sent: boolean;
  event: Omit<EventMap['commandStarted'], 'command'> | undefined;
}

type State =
  | { readonly is: 'free' | 'authenticating' }
  | { readonly is: 'busy'; readonly current: Current }
  | {
      readonly is: 'draining';
      readonly current: Current;
      readonly usable: Promise<boolean>;
      settle(usable: boolean): void;
    }
  | { readonly is: 'closed'; readonly cause: MongoError };

class SmallConnection implements Connection {
  readonly id: number;
  readonly address: string;
  phase: Phase = 'hello';
  greeting: Hello | undefined;
  commandLimit: Millis | undefined;
  compressor: Compressor | undefined;
  ended: () => void = nothing;
  again: ((deadline: Millis) => Promise<void>) | undefined;
  readonly #shared: Shared;
  readonly #socket: Socket;
  readonly #isMonitor: boolean;
  #state: State = { is: 'free' };
  #timer: Timer | undefined;
  /** The message that waits for reauthentication. */
  #postponed: Current | undefined;
  /** The message that was sent again after reauthentication. */
  #repeated: Message | undefined;

  constructor(shared: Shared, socket: Socket, address: string, { id, use }: ConnectOptions) {
    this.#shared = shared;
    this.#socket = socket;
    this.address = address;
    this.id = id;
    this.#isMonitor = use === 'monitor';
    const broken = (cause: unknown): void => this.close(this.#error('protocol', 'sent an invalid message', cause));
    const reader = shared.wire.reader({
      readsAhead: socket.readsAhead,
      take: (...reply) => this.#take(...reply),
      failed: broken,
    });
    socket.listen({
      room: () => reader.room(),
      filled: length => {
        if (this.closed) return;
        try {
          reader.filled(length);
        } catch (cause) {
          broken(cause);
        }
      },
      drained: () => {
        if (this.#state.is === 'busy' && this.#state.current.message.answer === 'none') this.#endUnanswered();
      },
      closed: cause => this.#shut(this.#error('network', 'closed the connection', cause)),
    });
  }

  get hello(): Hello {
    return this.greeting!;
  }

  get closed(): boolean {
    return this.#state.is === 'closed';
  }

  start(message: Message, deadline: Millis): void {
    const { clock, wire, declared, socketTimeout } = this.#shared;
    const { is } = this.#state;
    if (this.#state.is === 'closed') return message.fail(this.#error('network', 'is closed', this.#state.cause, false));
    if (is !== 'free' && !(is === 'authenticating' && isSecret(message.name)))
      return message.fail(this.#error('usage', `is ${is}: one command at a time`, undefined, false));
    const began = clock.now();
    if (deadline <= began) return message.fail(this.#error('timeout', 'is past the deadline', undefined, false));
    const requestId = this.#shared.nextId();
    let frame: Uint8Array;
    try {
      const { db, name, answer } = message;
      frame = wire.write(requestId, {
        ...{ db, name, answer, sections: message.sections?.bind(message) },
        body: writer => {
          message.body(writer);
          if (declared !== undefined) writer.elements(declared);
        },
      });
    } catch (cause) {
      const error = MongoError.is(cause) ? cause : this.#error('usage', 'got an invalid command', cause, false);
      error.origin ??= this.#origin(false);
      return message.fail(error);
    }
    if (frame.length > (this.greeting?.maxMessageSizeBytes ?? Infinity))
      return message.fail(this.#error('usage', `rejects messages of ${frame.length} bytes`, undefined, false));
    const current: Current = { message, requestId, deadline, began, awaited: requestId, sent: false, event: undefined };
    this.#state = { is: 'busy', current };
    const limit = this.#isMonitor ? Infinity : socketTimeout;
    this.#arm(deadline === Infinity ? began + limit : deadline);
    this.#started(current, frame);
    if (this.#currentIs(current)) this.#send(current, frame);
  }

  command(db: string, command: Document, deadline: Millis, many?: ManyReplies): Promise<Document> {
    const limit = this.phase === 'auth' ? this.commandLimit : undefined;
    const name = Object.keys(command)[0]!;
    return new Promise((resolve, reject) => {
      let last: Document = {};
      let isOk = false;
      const message: Message = {
        ...{ db, name, operationId: 0, answer: many === undefined ? 'one' : 'many', fail: reject },
        ...(many === undefined ? {} : { replyLimit: many.limit }),
        body: writer => {
          writer.fields(command);
          writer.value('$db', db);
        },
        reply: reply => {
          isOk = reply.ok;
          last = reply.document();
          if (isOk) many?.received(last);
        },
        end: () => {
          if (isOk) resolve(last);
          else reject(serverError(last, this.#origin(true), name));
        },
      };
      this.start(message, limit === undefined ? deadline : this.#shared.clock.now() + limit);
    });
  }

  detach(error: MongoError): Soon<boolean> {
    if (this.#postponed !== undefined) this.close(error);
    else if (this.#state.is === 'busy') this.#giveUp(error);
    return this.#state.is === 'draining' ? this.#state.usable : !this.closed;
  }

  close(cause?: MongoError): void {
    if (this.closed) return;
    this.#shut(cause ?? this.#error('network', 'was disconnected by the client'));
    this.#socket.destroy();
  }

  #currentIs(current: Current): boolean {
    return this.#state.is === 'busy' && this.#state.current === current;
  }

  #send(current: Current, frame: Uint8Array): void {
    const write = (bytes: Uint8Array): void => {
      if (!this.#currentIs(current)) return;
      current.sent = true;
      const isFlowing = this.#socket.write(bytes);
      if (isFlowing && current.message.answer === 'none') this.#endUnanswered();
    };
    const { name } = current.message;
    const isPlain = this.compressor === undefined || isHello(name) || isSecret(name);
    const bytes = isPlain ? frame : this.#shared.wire.compress(frame, this.compressor!);
    if (bytes instanceof Promise)
      bytes.then(write, (cause: unknown) =>
        this.close(this.#error('network', 'got a message that compression rejected', cause)),
      );
    else write(bytes);
  }

  #endUnanswered(): void {
    if (this.#state.is !== 'busy') return;
    const { current } = this.#state;
    this.#free();
    this.#succeeded(current, { ok: 1 });
    current.message.end();
  }

  #take(responseTo: number, reply: Reply, more: boolean, id: number): void {
    if (this.closed) return;
    const current = 'current' in this.#state ? this.#state.current : undefined;
    const answer = current?.message.answer;
    const isAwaited = responseTo === current?.awaited || responseTo === current?.requestId;
    if (current === undefined || answer === 'none' || !isAwaited || (more && answer !== 'many'))
      return this.close(this.#error('protocol', `sent an unexpected reply to request ${responseTo}`));
    current.awaited = id;
    const { message } = current;
    if (more) {
      if (this.#state.is === 'draining') return;
      if (message.replyLimit !== undefined) this.#arm(this.#shared.clock.now() + message.replyLimit);
      return message.reply(reply);
    }
    const { is } = this.#state;
    const settle = this.#state.is === 'draining' ? this.#state.settle : nothing;
    this.#free();
    if (is === 'draining') {
      settle(true);
      return message.late?.(reply);
    }
    try {
      if (this.#shared.events.wants('commandSucceeded') || !reply.ok) this.#answered(current, reply.document());
      if (this.#isExpired(current, reply)) return this.#authenticateAgain(current);
      message.reply(reply);
    } catch (cause) {
      const error = MongoError.is(cause) ? cause : this.#error('protocol', 'sent an invalid reply', cause);
      error.origin ??= this.#origin(true);
      if (error.kind === 'protocol') this.close(error);
      return message.fail(error);
    }
    message.end();
  }

  /** Returns whether the server requires reauthentication, for the first time for this message. */
  #isExpired({ message }: Current, reply: Reply): boolean {
    const isRepeated = this.#repeated === message;
    this.#repeated = undefined;
    if (this.again === undefined || this.#postponed !== undefined || isRepeated || reply.ok) return false;
    return message.answer === 'one' && reply.int('code') === 391;
  }

  #authenticateAgain(current: Current): void {
    const { message, deadline } = current;
    this.#postponed = current;
    this.#state = { is: 'authenticating' };
    const proceed = (next: () => void): void => {
      if (this.#postponed !== current) return;
      this.#postponed = undefined;
      if (!this.closed) this.#state = { is: 'free' };
      next();
    };
    this.again!(deadline).then(
      () =>
        proceed(() => {
          this.#repeated = message;
          this.start(message, deadline);
        }),
      (cause: unknown) =>
        proceed(() => message.fail(MongoError.is(cause) ? cause : this.#error('auth', 'rejected the user', cause))),
    );
  }

  #free(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#state = { is: this.#postponed === undefined ? 'free' : 'authenticating' };
  }

  #arm(at: Millis): void {
    this.#timer?.cancel();
    const { clock } = this.#shared;
    if (at === Infinity) return;
    const expire = (): void => {
      if (this.#state.is === 'busy') this.#giveUp(this.#error('timeout', 'did not reply in time'));
      else this.close(this.#error('timeout', 'sent no late reply'));
    };
    this.#timer = clock.startTimer(at - clock.now(), expire, { background: true });
  }

  /** Fails the message immediately. The pending reply is skipped when it arrives. */
  #giveUp(error: MongoError): void {
    if (this.#state.is !== 'busy') return;
    const { current } = this.#state;
    this.#free();
    if (current.sent) {
      let settle: (usable: boolean) => void = nothing;
      const usable = new Promise<boolean>(resolve => {
        settle = resolve;
      });
      this.#state = { is: 'draining', current, usable, settle };
      this.#arm(this.#shared.clock.now() + this.#shared.drainLimit);
    }
    this.#fail(current, error);
  }

  #shut(error: MongoError): void {
    const state = this.#state;
    if (state.is === 'closed') return;
    this.#timer?.cancel();
    this.#state = { is: 'closed', cause: error };
    const postponed = this.#postponed;
    this.#postponed = undefined;
    if (state.is === 'draining') state.settle(false);
    if (state.is === 'busy') this.#fail(state.current, error);
    postponed?.message.fail(error);
    if (state.is !== 'busy' && postponed === undefined) this.ended();
  }

  #fail(current: Current, error: MongoError): void {
    this.#failed(current, error);
    current.message.fail(error);
  }

  #origin(sent: boolean): NonNullable<MongoError['origin']> {
    return { phase: this.phase, sent, address: this.address, ...originFrom(this.greeting) };
  }

  #error(kind: ErrorKind, what: string, cause?: unknown, sent?: boolean): MongoError {
    const isSent = sent ?? ('current' in this.#state && this.#state.current.sent);
    return new MongoError(kind, `${this.address} ${what}.`, { cause, origin: this.#origin(isSent) });
  }

  #started(current: Current, frame: Uint8Array): void {
    const { events, wire } = this.#shared;
    const isHeard = (['commandStarted', 'commandSucceeded', 'commandFailed'] as const).some(name => events.wants(name));
    if (this.#isMonitor || this.phase !== 'command' || !isHeard) return;
    const { db, name, operationId } = current.message;
    current.event = {
      ...{ address: this.address, connectionId: this.id, serverConnectionId: this.hello.connectionId },
      ...{ serviceId: this.hello.serviceId, requestId: current.requestId, operationId },
      ...{ databaseName: db, commandName: name },
    };
    const command = isSecret(name) ? {} : wire.document(frame);
    if (events.wants('commandStarted')) events.emit({ name: 'commandStarted', ...current.event, command });
  }

  #answered(current: Current, reply: Document): void {
    if (reply['ok'] === 1) this.#succeeded(current, isSecret(current.message.name) ? {} : reply);
    else this.#failed(current, serverError(reply, this.#origin(true), current.message.name));
  }

  #succeeded({ event, began }: Current, reply: Document): void {
    const { events, clock } = this.#shared;
    if (event === undefined || !events.wants('commandSucceeded')) return;
    events.emit({ name: 'commandSucceeded', ...event, duration: clock.now() - began, reply });
  }

  #failed({ event, began, message }: Current, error: MongoError): void {
    const { events, clock } = this.#shared;
    if (event === undefined || !events.wants('commandFailed')) return;
    const isQuoted = isSecret(message.name) && error.kind === 'server';
    const failure = isQuoted ? new MongoError('server', `The command ${message.name} failed.`) : error;
    events.emit({ name: 'commandFailed', ...event, duration: clock.now() - began, failure });
  }
}

/** Returns the TLS and proxy settings for the transport. */
const routeOf = (given: Partial<ConnectionOptions>) => {
  const { tlsInsecure = false, proxyHost, proxyPort = 1080 } = given;
  const own = Object.entries(given).filter(([key]) => nativeTls.includes(key));
  const tls = {
    caFile: given.tlsCAFile,
    certificateKeyFile: given.tlsCertificateKeyFile,
    certificateKeyFilePassword: given.tlsCertificateKeyFilePassword,
    crlFile: given.tlsCRLFile,
    allowInvalidCertificates: given.tlsAllowInvalidCertificates ?? tlsInsecure,
    allowInvalidHostnames: given.tlsAllowInvalidHostnames ?? tlsInsecure,
    native: Object.fromEntries(own),
  };
  const user = { username: given.proxyUsername, password: given.proxyPassword };
  return {
    tls: given.tls === true ? tls : undefined,
    proxy: proxyHost === undefined ? undefined : { host: proxyHost, port: proxyPort, ...user },
  };
};

const helloOf = (document: Document, roundTrip: Millis): Hello => ({
  document,
  roundTrip,
  serviceId: objectIdOf(document['serviceId']),
  connectionId: wholeOf(document['connectionId']),
  maxWireVersion: numberOf(document['maxWireVersion']) ?? 0,
  logicalSessionTimeoutMinutes: numberOf(document['logicalSessionTimeoutMinutes']),
  maxBsonObjectSize: numberOf(document['maxBsonObjectSize']) ?? 16_777_216,
  maxMessageSizeBytes: numberOf(document['maxMessageSizeBytes']) ?? 48_000_000,
  maxWriteBatchSize: numberOf(document['maxWriteBatchSize']) ?? 1000,
});

export const createSmallConnect: CreateConnect = (deps, options): Connect => {
  const { clock, bson, transport, platform, authenticator, compressors } = deps;
  const { appName, driver = { name: 'small', version: '1' }, driverInfo = [], loadBalanced = false } = options;
  const { socketTimeoutMS = 0, drainLimit = 1000, serverApi } = options;
  if (appName !== undefined && new TextEncoder().encode(appName).length > 128)
    throw new MongoError('usage', 'The option "appName" has more than 128 bytes.');
  const api = typeof serverApi === 'string' ? { version: serverApi } : serverApi;
  const declaration: readonly (readonly [string, unknown])[] = [
    ['apiVersion', api?.version],
    ['apiStrict', api?.strict],
    ['apiDeprecationErrors', api?.deprecationErrors],
  ];
  const declared = Object.fromEntries(declaration.filter(([, value]) => value !== undefined));
  const offered = (options.compressors ?? []).flatMap(name => compressors.find(each => each.name === name) ?? []);
  const route = routeOf(options);
  let lastId = 0;
  const shared: Shared = {
    ...deps,
    drainLimit,
    declared: api === undefined ? undefined : bson.elements(declared),
    socketTimeout: socketTimeoutMS === 0 ? Infinity : socketTimeoutMS,
    nextId: () => (lastId += 1),
  };
  const metadata = (): Document => ({
    ...(appName === undefined ? {} : { application: { name: appName } }),
    driver: {
      name: [driver.name, ...driverInfo.map(({ name }) => name ?? '')].join('|'),
      version: [driver.version, ...driverInfo.flatMap(({ version }) => version ?? [])].join('|'),
    },
    os: platform.os,
    platform: platform.runtime,
  });

  return async (to, how) => {
    const { deadline, signal, commandLimit, ended } = how;
    const isMonitor = how.use === 'monitor';
    const isBalanced = loadBalanced && !isMonitor;
    const socket = await transport.connect(to, { deadline, signal, ...route });
    const connection = new SmallConnection(shared, socket, to, how);
    const aborted = (): MongoError => {
      const origin = { phase: connection.phase, sent: true, address: to };
      return new MongoError('aborted', `Connecting to ${to} was aborted.`, { cause: signal?.reason, origin });
    };
    const abort = (): void => connection.close(aborted());
    signal?.addEventListener('abort', abort);
    try {
      if (signal?.aborted === true) throw aborted();
      const conversation = isMonitor ? undefined : await authenticator?.begin(to);
      const began = clock.now();
      const { speculativeAuthenticate: answer, ...document } = await connection.command(
        'admin',
        {
          ...(api !== undefined || isBalanced ? { hello: 1 } : { isMaster: 1 }),
          ...{ helloOk: true, client: metadata(), backpressure: '2' },
          compression: isMonitor ? [] : offered.map(({ name }) => name),
          ...(isBalanced ? { loadBalanced } : {}),
          ...(conversation?.user === undefined ? {} : { saslSupportedMechs: conversation.user }),
          ...(conversation?.first === undefined ? {} : { speculativeAuthenticate: conversation.first }),
        },
        deadline,
      );
      connection.greeting = helloOf(document, clock.now() - began);
      if (isBalanced && connection.hello.serviceId === undefined)
        throw new MongoError('usage', `${to} is not behind a load balancer.`);
      connection.phase = 'auth';
      connection.commandLimit = commandLimit;
      if (conversation !== undefined && document['arbiterOnly'] !== true)
        await waitFor(conversation.finish(connection, answer, deadline), { clock, deadline: noLimit, signal }, aborted);
      connection.phase = 'command';
      const theirs: unknown = document['compression'];
      if (!isMonitor && Array.isArray(theirs))
        connection.compressor = offered.find(({ name }) => theirs.includes(name));
      if (conversation !== undefined)
        connection.again = async until => (await authenticator!.begin(to)).finish(connection, undefined, until);
      connection.ended = ended ?? nothing;
      return connection;
    } catch (error) {
      connection.close(error as MongoError);
      throw error;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  };
};

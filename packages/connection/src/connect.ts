import { MongoError } from '@tessera/contracts';
import type {
  Address,
  Authenticator,
  BsonCodec,
  Clock,
  Compressor,
  Connect,
  ConnectOptions,
  Conversation,
  Document,
  EventSink,
  Hello,
  Millis,
  Origin,
  Platform,
  Transport,
  WireCodec,
} from '@tessera/contracts';
import { beginAuthentication } from './authentication.js';
import { checkAppName, checkDriverInfo, clientMetadata } from './client-metadata.js';
import type { MetadataOptions } from './client-metadata.js';
import { CommandEvents } from './command-events.js';
import { Deadlines } from './deadlines.js';
import { helloCommand, helloOf } from './hello.js';
import { FirstBytes } from './peer.js';
import { Declaration } from './server-api.js';
import type { ServerApi } from './server-api.js';
import { SocketConnection } from './socket-connection.js';
import type { Surroundings } from './surroundings.js';
import { proxySettings, tlsSettings } from './transport-settings.js';
import type { TransportSettings } from './transport-settings.js';
import { version } from './version.js';

export interface ConnectDeps {
  readonly clock: Clock;
  readonly transport: Transport;
  readonly wire: WireCodec;
  readonly bson: BsonCodec;
  readonly events: EventSink;
  readonly platform: Platform;
  /** Those that can be used; `options.compressors` says which are to be. */
  readonly compressors: readonly Compressor[];
  /** Proves to each server who is there; monitors never do. */
  readonly authenticator?: Authenticator | undefined;
}

export interface ConnectionOptions extends MetadataOptions, TransportSettings {
  /** Names of the compressors to offer, the dearest first; unknown ones are passed over. Rule: OP_COMPRESSED, "compressors". */
  readonly compressors: readonly string[];
  /** The version alone, or more. */
  readonly serverApi?: ServerApi | string | undefined;
  readonly loadBalanced: boolean;
  /**
   * How long the answer to a command may take; 0 is no limit. A command's own deadline takes its place.
   * Rule: URI Options; Client Side Operations Timeout, "Validation and Overrides".
   */
  readonly socketTimeoutMS: Millis;
  /** How long the late reply to a command that was given up may take until the connection is closed instead. */
  readonly drainLimit: Millis;
}

export const defaults: ConnectionOptions = {
  driver: { name: 'tessera', version },
  driverInfo: [],
  compressors: [],
  loadBalanced: false,
  socketTimeoutMS: 0,
  drainLimit: 1000,
};

/** What went wrong with hello, in the words of what was seen on the socket. */
const explain = (
  to: Address,
  error: MongoError,
  {
    seen,
    spent,
    isSecured,
  }: { readonly seen: string | undefined; readonly spent: Millis; readonly isSecured: boolean },
): MongoError => {
  // With TLS 1.3 a server says what it thinks of our certificate after the handshake.
  if (MongoError.is(error.cause) && error.cause.origin?.phase === 'tls') return error.cause;
  if (error.kind !== 'network' && error.kind !== 'timeout' && error.kind !== 'protocol') return error;
  if (error.kind === 'timeout' && error.origin?.sent === false) return error;
  const origin: Origin = { phase: 'hello', sent: true, address: to };
  if (seen !== undefined) return new MongoError('protocol', `${to} answered with ${seen}`, { cause: error, origin });
  if (error.kind === 'protocol') return error;
  const maybe = isSecured ? 'want a client certificate (tlsCertificateKeyFile)' : 'expect TLS (tls=true)';
  const what =
    error.kind === 'network'
      ? `${to} closed the connection instead of answering hello; it may ${maybe}, be shutting down, or be overloaded`
      : `${to} accepted the connection, but did not answer hello within ${Math.round(spent)} ms`;
  return new MongoError(error.kind, what, { cause: error, origin });
};

interface Greeted {
  readonly hello: Hello;
  /** To what the conversation sent along. It is kept out of the hello, which is kept. */
  readonly answer: Document | undefined;
}

/** The first of ours that is also the server's. Rule: OP_COMPRESSED, "MongoDB Handshake Amendment". */
const agreeOn = (offered: readonly Compressor[], hello: Hello): Compressor | undefined => {
  const theirs: unknown = hello.document['compression'];
  return Array.isArray(theirs) ? offered.find(({ name }) => theirs.includes(name)) : undefined;
};

/**
 * Makes connections: opens a socket, says hello, agrees on a compressor, authenticates.
 * Rule: MongoDB Handshake; OP_COMPRESSED; Authentication; Command Logging and Monitoring.
 * @throws MongoError `usage` for an appName or driverInfo that servers would not take
 */
export const createConnect = (deps: ConnectDeps, given: Partial<ConnectionOptions> = {}): Connect => {
  const { clock, transport, wire, bson, platform, authenticator } = deps;
  const options = { ...defaults, ...given };
  if (options.appName !== undefined) checkAppName(options.appName);
  options.driverInfo.forEach(checkDriverInfo);
  // Of what was given: secrets are not enumerable, so that `options` has none.
  const serverApi = typeof options.serverApi === 'string' ? { version: options.serverApi } : options.serverApi;
  const [tls, proxy] = [tlsSettings(given), proxySettings(given)];

  let lastRequestId = 0;
  const around: Surroundings = {
    clock,
    wire,
    deadlines: new Deadlines(clock),
    declaration: serverApi === undefined ? undefined : new Declaration({ bson }, serverApi),
    drainLimit: options.drainLimit,
    answerLimit: options.socketTimeoutMS === 0 ? Infinity : options.socketTimeoutMS,
    nextRequestId: () => (lastRequestId = lastRequestId === 0x7fffffff ? 1 : lastRequestId + 1),
  };
  // Their commands have deadlines of their own, or none on purpose. Rule: Server Monitoring, "Socket timeout".
  const aroundMonitors: Surroundings = { ...around, answerLimit: Infinity };
  const events = new CommandEvents(deps);
  const offered = options.compressors.flatMap(name => deps.compressors.find(c => c.name === name) ?? []);

  // Whoever appends to driverInfo is told to the connections that are made afterwards.
  let metadata: { readonly infos: number; readonly document: Document } | undefined;
  const client = (): Document => {
    const infos = options.driverInfo.length;
    if (metadata?.infos !== infos) metadata = { infos, document: clientMetadata(bson, platform, options) };
    return metadata.document;
  };

  const greet = async (
    connection: SocketConnection,
    first: FirstBytes,
    how: ConnectOptions,
    conversation: Conversation | undefined,
  ): Promise<Greeted> => {
    const { address } = connection;
    const loadBalanced = options.loadBalanced && how.use === 'operations';
    const compression = how.use === 'operations' ? offered.map(({ name }) => name) : [];
    const began = clock.now();
    try {
      const command = helloCommand({ client: client(), compression, serverApi, loadBalanced, conversation });
      const reply = await connection.command('admin', command, how.deadline);
      const { speculativeAuthenticate: answer, ...document } = reply;
      return {
        hello: helloOf(address, document, clock.now() - began, loadBalanced),
        answer: typeof answer === 'object' && answer !== null ? (answer as Document) : undefined,
      };
    } catch (error) {
      const seen = first.describe();
      throw explain(address, error as MongoError, { seen, spent: clock.now() - began, isSecured: tls !== undefined });
    }
  };

  return async (to, how) => {
    const { signal, use, id, deadline, commandLimit, ended } = how;
    const socket = await transport.connect(to, { deadline, signal, tls, proxy });
    const first = new FirstBytes();
    const connection = new SocketConnection(use === 'monitor' ? aroundMonitors : around, socket, to, id, first);
    const aborted = (): MongoError => {
      const origin: Origin = { phase: 'hello', sent: true, address: to };
      return new MongoError('aborted', `Connecting to ${to} was aborted`, { cause: signal?.reason, origin });
    };
    const abort = (): void => {
      connection.close(aborted());
    };
    signal?.addEventListener('abort', abort);
    try {
      if (signal?.aborted === true) throw aborted();
      const isOperational = use === 'operations';
      const authentication =
        isOperational && authenticator !== undefined
          ? await beginAuthentication(authenticator, connection, signal)
          : undefined;
      const { hello, answer } = await greet(connection, first, how, authentication?.conversation);
      connection.greeted(hello, commandLimit);
      if (authentication !== undefined) await authentication.finish(hello, answer, deadline);
      connection.agree({
        hello,
        compressor: isOperational ? agreeOn(offered, hello) : undefined,
        events: isOperational ? events : undefined,
        reauthenticate: authentication?.again,
        ended,
      });
      return connection;
    } catch (error) {
      connection.close(error as MongoError);
      throw error;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  };
};

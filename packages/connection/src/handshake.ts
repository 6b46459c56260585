import { MongoError } from '@tessera/contracts';
import type {
  Address,
  Authenticator,
  Clock,
  Compressor,
  ConnectOptions,
  Conversation,
  Document,
  Hello,
  Millis,
  Origin,
  ServerApi,
} from '@tessera/contracts';
import { beforeHello } from './agreement.js';
import { beginAuthentication } from './authentication.js';
import type { CommandEvents } from './command-events.js';
import { helloCommand, helloOf } from './hello.js';
import type { FirstBytes } from './peer.js';
import { Reauthentication } from './reauthentication.js';
import type { SocketConnection } from './socket-connection.js';

export interface HandshakeDeps {
  readonly clock: Clock;
  readonly events: CommandEvents;
  readonly authenticator: Authenticator | undefined;
}

export interface HandshakeOptions {
  /** Returns the client metadata. */
  readonly client: () => Document;
  /** The compressors to offer, in order of preference. */
  readonly offered: readonly Compressor[];
  readonly serverApi: ServerApi | undefined;
  readonly loadBalanced: boolean;
  readonly isSecured: boolean;
}

/** Resolves when the connection is ready for commands. @throws MongoError with `origin.phase` `hello` or `auth` */
export type Handshake = (connection: SocketConnection, first: FirstBytes, how: ConnectOptions) => Promise<void>;

/** Returns the error of a failed hello, explained by the bytes that the server sent instead of a reply. */
const explain = (
  to: Address,
  error: MongoError,
  {
    seen,
    spent,
    isSecured,
  }: { readonly seen: string | undefined; readonly spent: Millis; readonly isSecured: boolean },
): MongoError => {
  // With TLS 1.3, a server rejects the client certificate after the TLS handshake has completed.
  if (MongoError.is(error.cause) && error.cause.origin?.phase === 'tls') return error.cause;
  if (error.kind !== 'network' && error.kind !== 'timeout' && error.kind !== 'protocol') return error;
  if (error.kind === 'timeout' && error.origin?.sent === false) return error;
  const origin: Origin = { phase: 'hello', sent: true, address: to };
  if (seen !== undefined) return new MongoError('protocol', `${to} answered with ${seen}.`, { cause: error, origin });
  if (error.kind === 'protocol') return error;
  const maybe = isSecured ? 'want a client certificate (tlsCertificateKeyFile)' : 'expect TLS (tls=true)';
  const what =
    error.kind === 'network'
      ? `${to} closed the connection instead of answering hello; it may ${maybe}, be shutting down, or be overloaded.`
      : `${to} accepted the connection, but did not answer hello within ${Math.round(spent)} ms.`;
  return new MongoError(error.kind, what, { cause: error, origin });
};

interface Greeted {
  readonly hello: Hello;
  /** The server's reply to the conversation's first message. It is removed from the hello document, which is kept. */
  readonly answer: Document | undefined;
}

/**
 * Returns the first offered compressor that the server supports. Rule: OP_COMPRESSED, "MongoDB Handshake Amendment".
 */
const agreeOn = (offered: readonly Compressor[], hello: Hello): Compressor | undefined => {
  const theirs: unknown = hello.document['compression'];
  return Array.isArray(theirs) ? offered.find(({ name }) => theirs.includes(name)) : undefined;
};

/** Sends hello, negotiates a compressor and authenticates. Rule: MongoDB Handshake; OP_COMPRESSED; Authentication. */
export const createHandshake = (
  { clock, events, authenticator }: HandshakeDeps,
  { client, offered, serverApi, loadBalanced: isLoadBalanced, isSecured }: HandshakeOptions,
): Handshake => {
  const greet = async (
    connection: SocketConnection,
    first: FirstBytes,
    how: ConnectOptions,
    conversation: Conversation | undefined,
  ): Promise<Greeted> => {
    const { address } = connection;
    const loadBalanced = isLoadBalanced && how.use === 'operations';
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
      throw explain(address, error as MongoError, { seen: first.describe(), spent: clock.now() - began, isSecured });
    }
  };

  return async (connection, first, how) => {
    const { signal, use, deadline, commandLimit, ended } = how;
    const isOperational = use === 'operations';
    const authentication =
      isOperational && authenticator !== undefined
        ? await beginAuthentication({ clock, authenticator }, connection, signal)
        : undefined;
    const { hello, answer } = await greet(connection, first, how, authentication?.conversation);
    if (authentication !== undefined) {
      connection.agree({ ...beforeHello(first), phase: 'auth', hello, commandLimit });
      await authentication.finish(hello, answer, deadline);
    }
    connection.agree({
      phase: 'command',
      hello,
      commandLimit: undefined,
      longest: hello.maxMessageSizeBytes,
      compressor: isOperational ? agreeOn(offered, hello) : undefined,
      events: isOperational ? events : undefined,
      reauthentication:
        authentication === undefined ? undefined : new Reauthentication(connection, authentication.again),
      ended,
      first: undefined,
    });
  };
};

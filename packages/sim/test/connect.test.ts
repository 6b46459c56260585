// Each object breaks one rule of CreateConnect, and the suite must detect it.
import { bson } from '@tessera/bson';
import { createConnect } from '@tessera/connection';
import type {
  ConnectDeps,
  Connection,
  ConnectionOptions,
  ConnectOptions,
  CreateConnect,
  Message,
  Socket,
} from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';
import { connectSuite } from '@tessera/sim';
import type { ContractCase } from '@tessera/sim';
import { createWire } from '@tessera/wire';
import { describe, expect, test } from 'vitest';
import { expectNotice, failing, turn } from './notice.js';

type Options = Partial<ConnectionOptions>;

const suiteOf = (create: CreateConnect): readonly ContractCase[] =>
  connectSuite({ createConnect: create, createWire, bson, turn });

/** Returns the object with some members replaced. The others delegate to the object. */
const over = <T extends object>(object: T, changes: Partial<T>): T =>
  new Proxy(object, {
    get: (target, key) => {
      if (key in changes) return Reflect.get(changes, key) as unknown;
      const member: unknown = Reflect.get(target, key, target);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });

const withDeps = (change: (deps: ConnectDeps) => Partial<ConnectDeps>): readonly ContractCase[] =>
  suiteOf((deps, options) => createConnect({ ...deps, ...change(deps) }, options));

const withOptions = (
  change: (options: Options) => { readonly [N in keyof Options]: Options[N] | undefined },
): readonly ContractCase[] =>
  suiteOf((deps, options) => {
    const changed = Object.entries({ ...options, ...change(options) });
    return createConnect(deps, Object.fromEntries(changed.filter(([, value]) => value !== undefined)));
  });

const withHow = (change: (how: ConnectOptions) => Partial<ConnectOptions>): readonly ContractCase[] =>
  suiteOf((deps, options) => {
    const connect = createConnect(deps, options);
    return (to, how) => connect(to, Object.assign({ ...how }, change(how)));
  });

const withSocket = (change: (socket: Socket) => Partial<Socket>): readonly ContractCase[] =>
  withDeps(({ transport }) => ({
    transport: {
      connect: async (to, how) => {
        const socket = await transport.connect(to, how);
        return over(socket, change(socket));
      },
    },
  }));

const withConnection = (change: (connection: Connection) => Partial<Connection>): readonly ContractCase[] =>
  suiteOf((deps, options) => {
    const connect = createConnect(deps, options);
    return async (to, how) => {
      const connection = await connect(to, how);
      return over(connection, change(connection));
    };
  });

const withMessage = (change: (message: Message) => Partial<Message>): readonly ContractCase[] =>
  withConnection(connection => ({
    start: (message, deadline) => connection.start(over(message, change(message)), deadline),
  }));

test('connectSuite passes wrappers that change nothing', async () => {
  for (const cases of [withSocket(() => ({})), withMessage(() => ({}))]) expect(await failing(cases)).toEqual([]);
});

describe('connectSuite detects a handshake that', () => {
  test('does not send the name of the application', () =>
    expectNotice(
      withOptions(() => ({ appName: undefined })),
      'legacy hello with the client metadata',
    ));

  test('measures no round-trip time', () =>
    expectNotice(
      withConnection(({ hello }) => ({ hello: { ...hello, roundTrip: 0 } })),
      'the connection has its reply',
    ));

  test('reads driverInfo only once', () =>
    expectNotice(
      withOptions(options => ({ driverInfo: [...(options.driverInfo ?? [])] })),
      'appended to driverInfo later',
    ));

  test('declares no version', () =>
    expectNotice(
      withOptions(() => ({ serverApi: undefined })),
      'Stable API',
    ));

  test('accepts a server without a load balancer', () =>
    expectNotice(
      withOptions(() => ({ loadBalanced: false })),
      'Load Balancers',
    ));

  test('connects without TLS', () =>
    expectNotice(
      withOptions(() => ({ tls: false })),
      'passes deadline, TLS and proxy',
    ));

  test('ignores the signal', () =>
    expectNotice(
      withHow(() => ({ signal: undefined })),
      'aborted signal',
    ));

  test('ignores the deadline', () =>
    expectNotice(
      withHow(() => ({ deadline: Infinity })),
      'a failed hello',
    ));

  test('fails without an origin', () =>
    expectNotice(
      suiteOf((deps, options) => {
        const connect = createConnect(deps, options);
        return (to, how) =>
          connect(to, how).catch((error: MongoError) => {
            throw new MongoError(error.kind, error.message, { cause: error.cause });
          });
      }),
      'with phase hello and the address',
    ));

  test('leaves the socket open when it fails', () =>
    expectNotice(
      withSocket(() => ({ destroy: () => undefined })),
      'a failed hello closes the socket',
    ));

  test('does not authenticate', () =>
    expectNotice(
      withDeps(() => ({ authenticator: undefined })),
      'Authentication Handshake',
    ));

  test('begins the authentication after hello', () =>
    expectNotice(
      withDeps(({ authenticator }) => ({
        authenticator: authenticator && {
          ...authenticator,
          begin: async at => {
            const { finish } = await authenticator.begin(at);
            return { finish };
          },
        },
      })),
      'the conversation begins with hello',
    ));

  test('authenticates monitors', () =>
    expectNotice(
      withHow(() => ({ use: 'operations' })),
      'monitors and to arbiters do not',
    ));

  test('does not limit the commands of the authentication', () =>
    expectNotice(
      withHow(how => ({ commandLimit: how.commandLimit && 5 * how.commandLimit })),
      'commandLimit limits its commands',
    ));

  test('agrees on no compressor', () =>
    expectNotice(
      withDeps(() => ({ compressors: [] })),
      'the first configured compressor',
    ));

  test('prefers the compressor that the server names first', () =>
    expectNotice(
      withOptions(options => ({ compressors: [...(options.compressors ?? [])].reverse() })),
      'the first configured compressor',
    ));
});

describe('connectSuite detects a connection that', () => {
  test('compresses secrets', () =>
    expectNotice(
      withMessage(({ name }) => (name === 'saslStart' ? { name: 'other' } : {})),
      'all commands except hello and those with secrets',
    ));

  test('drops a second command silently', () =>
    expectNotice(
      withMessage(message => ({ fail: error => void (error.kind === 'usage' || message.fail(error)) })),
      'a second command fails as usage',
    ));

  test('ends a message before its reply', () =>
    expectNotice(
      withMessage(message => ({
        reply: reply => {
          message.end();
          message.reply(reply);
        },
        end: () => undefined,
      })),
      'reply is called before end',
    ));

  test('leaves out the document sequences', () =>
    expectNotice(
      withMessage(() => ({ sections: () => undefined })),
      'body and sections are sent',
    ));

  test('waits for a reply that was not requested', () =>
    expectNotice(
      withMessage(({ answer }) => (answer === 'none' ? { answer: 'one' } : {})),
      'without a reply ends once it is sent',
    ));

  test('gives many replies one deadline', () =>
    expectNotice(
      withMessage(() => ({ replyLimit: undefined })),
      'with many replies receives each',
    ));

  test('ignores the deadline of a command', () =>
    expectNotice(
      withConnection(connection => ({ start: message => connection.start(message, Infinity) })),
      'at its deadline a message fails',
    ));

  test('loses the late reply', () =>
    expectNotice(
      withMessage(() => ({ late: () => undefined })),
      'skips the late reply',
    ));

  test('has no socketTimeoutMS', () =>
    expectNotice(
      withOptions(() => ({ socketTimeoutMS: 0 })),
      'socketTimeoutMS',
    ));

  test('closes when a message is abandoned', () =>
    expectNotice(
      withConnection(connection => ({
        detach: error => {
          connection.close(error);
          return false;
        },
      })),
      'Connection.detach',
    ));

  test('is used again before the late reply was read', () =>
    expectNotice(
      withConnection(connection => ({
        detach: error => {
          void connection.detach(error);
          return !connection.closed;
        },
      })),
      'when the late reply was read',
    ));

  test('drains without a limit', () =>
    expectNotice(
      withOptions(() => ({ drainLimit: 5000 })),
      'drainLimit',
    ));

  test('closes without the cause', () =>
    expectNotice(
      withConnection(connection => ({ close: () => connection.close() })),
      'fails the message in progress with the cause',
    ));

  test.each([0, 2])('reports %i times that it ended', times =>
    expectNotice(
      withHow(how => ({ ended: () => void Array.from({ length: times }, () => how.ended?.()) })),
      'ConnectOptions.ended',
    ),
  );

  test('fails with an error that does not say that the command was sent', () =>
    expectNotice(
      withMessage(message => ({ fail: ({ kind, message: text }) => message.fail(new MongoError(kind, text)) })),
      'a server that closes the connection fails the message as network',
    ));

  test('reports invalid bytes as a lost connection', () =>
    expectNotice(
      withMessage(message => ({
        fail: error => {
          const { kind, origin } = error;
          message.fail(kind === 'protocol' ? new MongoError('network', error.message, { origin }) : error);
        },
      })),
      'that are not the reply to the command',
    ));

  test('resolves command() with ok: 0', () =>
    expectNotice(
      withConnection(connection => ({
        command: (db, command, deadline, many) =>
          connection.command(db, command, deadline, many).catch((error: MongoError) => error.reply ?? {}),
      })),
      'rejects as server',
    ));

  test('does not authenticate again', () =>
    expectNotice(
      withDeps(({ authenticator }) => {
        let times = 0;
        return {
          authenticator: authenticator && {
            ...authenticator,
            begin: at => ((times += 1) > 1 ? Promise.reject(new Error('no')) : authenticator.begin(at)),
          },
        };
      }),
      'Reauthentication',
    ));

  test('emits no events', () =>
    expectNotice(
      withDeps(() => ({ events: { wants: () => false, emit: () => undefined } })),
      'an event when it starts and one when it ends',
    ));

  test('emits events that no listener wants', () =>
    expectNotice(
      withDeps(({ events }) => ({ events: { wants: () => true, emit: event => events.emit(event) } })),
      'only wanted events',
    ));

  test('shows secrets in events', () =>
    expectNotice(
      withMessage(({ name }) => (name === 'saslStart' ? { name: 'other' } : {})),
      'events of commands with secrets',
    ));
});

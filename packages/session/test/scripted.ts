/** A server that records its commands, as the innermost dispatch of a session layer. */
import { bson } from '@tessera/bson';
import { MongoError } from '@tessera/contracts';
import type {
  Attempt,
  Clock,
  Connection,
  Dispatch,
  Document,
  Hello,
  Lease,
  Operation,
  Pin,
  Reply,
  Request,
  ServerDescription,
  TopologyType,
} from '@tessera/contracts';
import { createWorld } from '@tessera/sim';
import type { World } from '@tessera/sim';
import { expect } from 'vitest';
import { writeBody } from '../../attempt/test/body.js';
import { createSessions } from '../src/index.js';
import type { Sessions, SessionsOptions } from '../src/index.js';

export const world = (environment: Readonly<Record<string, string>> = {}): World =>
  createWorld({ turn: () => new Promise(resolve => setImmediate(resolve)) }, { environment });

export interface Place {
  readonly topology?: TopologyType;
  readonly type?: ServerDescription['type'];
  /** The logicalSessionTimeoutMinutes of the handshake; null: no session support. */
  readonly timeout?: number | null;
  readonly address?: string;
  readonly maxWireVersion?: number;
  /** The lease that `hold` returns to a transaction. */
  readonly lease?: Lease;
}

export const attemptAt = (
  {
    topology = 'ReplicaSetWithPrimary',
    type = 'RSPrimary',
    timeout = 30,
    address = 'a:27017',
    maxWireVersion = 21,
    lease,
  }: Place,
  request: Request<unknown>,
): Attempt => ({
  connection: { hello: { logicalSessionTimeoutMinutes: timeout ?? undefined, maxWireVersion } as Hello } as Connection,
  server: { address, type } as ServerDescription,
  topology,
  session: request.session,
  deadline: request.deadline,
  bodyLength: 0,
  statements: 0,
  failures: request.failures,
  hold: by => {
    if (lease === undefined) throw new Error('nothing is held here');
    lease.hold(by);
    return lease;
  },
});

export const replyOf = (document: Document): Reply => {
  const writer = bson.writer();
  writer.begin(0);
  writer.fields(document);
  writer.endBody();
  return bson.read(writer.take());
};

export interface ScriptedServer {
  readonly dispatch: Dispatch;
  /** The received commands, without `$db`. */
  readonly sent: Document[];
  place: Place;
  reply: Document;
  /** The replies to the next commands, used before `reply`. */
  readonly replies: Document[];
  /** The pin of the session at the time of each command. */
  readonly pins: (Pin | undefined)[];
  /** An error to throw instead of the next reply. */
  failure: MongoError | undefined;
  /** Called while an operation is running. */
  meanwhile: (request: Request<unknown>) => void | Promise<void>;
}

const refused = (reply: Document): MongoError =>
  new MongoError('server', 'refused', {
    code: reply['code'] as number | undefined,
    labels: reply['errorLabels'] as readonly string[] | undefined,
    reply,
    origin: { phase: 'command', sent: true },
  });

/** Decodes an int64 to a Long. */
const asSent = bson.shape({ promoteLongs: false });

export const createServer = (): ScriptedServer => {
  const server: ScriptedServer = {
    sent: [],
    place: {},
    reply: { ok: 1 },
    replies: [],
    pins: [],
    failure: undefined,
    meanwhile: () => undefined,
    dispatch: async <T>(request: Request<T>): Promise<T> => {
      const attempt = attemptAt(server.place, request);
      server.pins.push(request.session?.pin);
      const writer = bson.writer();
      writer.begin(0);
      writeBody(writer, attempt, request.operation, request.exchanges);
      writer.endBody();
      const { $db: _, ...command } = bson.read(writer.take()).document(asSent);
      server.sent.push(command);
      await server.meanwhile(request);
      const { failure } = server;
      if (failure !== undefined) {
        server.failure = undefined;
        request.session?.failed(failure, request.operation);
        throw failure;
      }
      const document = server.replies.shift() ?? server.reply;
      const reply = replyOf(document);
      for (const exchange of request.exchanges) exchange.received(reply, attempt, request.operation);
      try {
        if (!reply.ok) throw refused(document);
        return request.operation.read(reply, attempt);
      } catch (error) {
        if (MongoError.is(error)) request.session?.failed(error, request.operation);
        throw error;
      }
    },
  };
  return server;
};

export const operation = (given: Partial<Operation<string>> = {}): Operation<string> => ({
  name: 'find',
  db: 'test',
  kind: 'read',
  retryable: true,
  selection: { mode: 'primary' },
  answer: 'one',
  readConcern: 'none',
  database: bson.elements({ $db: 'test' }),
  body: writer => {
    writer.int32('find', 1);
  },
  read: () => 'done',
  ...given,
});

export const insert: Partial<Operation<string>> = { name: 'insert', kind: 'write' };
export const getMore: Partial<Operation<string>> = { name: 'getMore', role: 'continuesCursor' };
export const killCursors: Partial<Operation<string>> = { name: 'killCursors', role: 'killsCursor' };

export const request = (of: Partial<Operation<string>> = {}, more: Partial<Request<string>> = {}): Request<string> => ({
  operation: operation(of),
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

export interface Scene {
  readonly sessions: Sessions;
  readonly server: ScriptedServer;
  /** Dispatches a request through the session layer. */
  readonly run: Dispatch;
  readonly clock: Clock;
}

/** Returns a test that runs in virtual time with one client and one server, and checks that no timer is left. */
export const scene =
  (
    program: (scene: Scene) => Promise<void>,
    options: SessionsOptions = {},
    environment: Readonly<Record<string, string>> = {},
  ) =>
  async () => {
    const { runtime, run: runWorld, leftovers } = world(environment);
    const server = createServer();
    const sessions = createSessions({ bson, ...runtime }, options);
    await runWorld(() => program({ sessions, server, clock: runtime.clock, run: sessions.layer(server.dispatch) }));
    expect(leftovers()).toEqual([]);
  };

export const failureOf = async (promise: Promise<unknown>): Promise<MongoError> => {
  const error = await promise.then(
    value => new Error(`expected a failure, got ${String(value)}`),
    (reason: unknown) => reason,
  );
  if (MongoError.is(error)) return error;
  throw error;
};

/** Returns the session id of a command as hexadecimal digits. */
export const idOf = (command: Document | undefined): string | undefined => {
  const lsid = command?.['lsid'] as { readonly id: { readonly buffer: Uint8Array } } | undefined;
  return lsid === undefined ? undefined : Buffer.from(lsid.id.buffer).toString('hex');
};

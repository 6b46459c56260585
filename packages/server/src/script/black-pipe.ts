import type { Address, Listening, Runtime, Socket } from '@tessera/contracts';
import { refusal } from '../commands/dispatch.js';
import type { Answer } from '../wire/connection.js';
import { Connection } from '../wire/connection.js';
import { maxMessageSize } from '../wire/frame.js';
import type { Request } from '../wire/message.js';
import { AutomaticHello } from './automatic-hello.js';
import type { ExpectOptions } from './expectations.js';
import { Expectations } from './expectations.js';
import type { Plain } from './plain.js';
import { canonical, connectionOf, okReply, ScriptedRequest } from './request.js';
import { ScriptError, commandLine, replyLine, Transcript } from './transcript.js';

/** The options of `createBlackPipe`. */
export interface BlackPipeOptions {
  /**
   * Fields that are added to the automatic reply to hello, or replace its fields, such as
   * `{ setName: 'rs', maxWireVersion: 21 }`. The reply is that of a standalone of MongoDB 8.0. `scripted`: there is no
   * automatic reply to hello, and the test must expect every hello. Default: no other fields.
   */
  readonly hello?: Plain | 'scripted';
  /**
   * Commands that the pipe answers with `{ ok: 1 }` unless the test waits for them with `expect`. This list replaces the
   * default: `endSessions`, which clients send when they close.
   */
  readonly automatic?: readonly string[];
}

const defaults: Required<BlackPipeOptions> = { hello: {}, automatic: ['endSessions'] };

/**
 * A server that executes no commands. The test determines the reply to each request. Only hellos and the commands of
 * `BlackPipeOptions.automatic` are answered automatically.
 */
export interface BlackPipe extends AsyncDisposable {
  /**
   * Listens on an address. Port 0 selects a free port, which the result contains.
   * @param at default: `127.0.0.1:0`
   * @throws MongoError `network` if the address is not available
   */
  listen(at?: Address): Promise<Listening>;
  /** Serves a connection that did not come through `listen`. */
  accept(socket: Socket): void;
  /**
   * Returns the first unmatched request of a {@link Lane}, including requests that arrived before this call. The pipe replies
   * only as the test says, except to automatic commands that no call of `expect` waits for, and to a request that does not
   * match. The request must have this command and at least the fields in `subset`.
   * Within a lane, the pipe compares requests with expectations in order.
   * A nested document may have further fields, but an array must have the same number of items. Numbers of different
   * types are compared by value. Use `any` for values that the test cannot predict.
   * @param subset default: any request with this command matches
   * @throws ScriptError if the next request of the lane is different; the pipe answers it with 59 CommandNotFound
   * @throws ScriptError if no request arrives within `options.within`, or if the pipe is closed
   */
  expect(command: string, subset?: Plain, options?: ExpectOptions): Promise<ScriptedRequest>;
  /**
   * Changes these fields of the automatic reply to hello. Clients that wait for a change receive the new reply at once,
   * all others with their next hello. A client waits only if earlier replies had a `topologyVersion`, as the option `hello`
   * can set it. Then pass one with a higher `counter` here, so that no client misses the change.
   */
  become(hello: Plain): void;
  /** Returns all requests and replies so far, one per line, with their times and connections. */
  transcript(): string;
  /**
   * Closes all listeners and connections.
   * @throws ScriptError with the transcript if a request was not expected or not answered, or if an expected request has
   * not arrived yet
   */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Creates a server for tests of drivers. The test scripts all its replies. Time and sockets come from the runtime, so
 * the server runs on TCP ports and in a simulation.
 *
 * @example
 * ```ts
 * await using pipe = createBlackPipe(createNode());
 * const { address } = await pipe.listen('127.0.0.1:0');
 * const inserted = new MongoClient(`mongodb://${address}`).db().collection('c').insertOne({ _id: 1 });
 * (await pipe.expect('insert', { documents: [{ _id: 1 }] })).ok({ n: 1 });
 * await inserted;
 * ```
 */
export const createBlackPipe = (
  { clock, listener, compressors }: Pick<Runtime, 'clock' | 'listener' | 'compressors'>,
  options: BlackPipeOptions = {},
): BlackPipe => {
  const { hello: script, automatic } = { ...defaults, ...options };
  const transcript = new Transcript(clock);
  const expectations = new Expectations(clock, transcript);
  const hello = new AutomaticHello(clock, script === 'scripted' ? {} : script);
  const byThemselves = new Set([...automatic, ...(script === 'scripted' ? [] : ['hello'])]);
  const connections = new Set<Connection>();
  const listenings = new Set<Listening>();
  let lastId = 0;

  const byItself = async (request: Request, connection: Connection): Promise<Answer> => {
    const isHello = canonical(request.body.entries()[0]![0]) === 'hello';
    const answer = isHello ? await hello.answer(request, connection) : { doc: okReply({}) };
    transcript.went(connection.id, `${replyLine(answer.doc)} (automatic)`);
    return answer;
  };

  const answer = (request: Request, connection: Connection): Promise<Answer | undefined> =>
    new Promise(resolve => {
      const name = request.body.entries()[0]?.[0] ?? '';
      transcript.came(connection.id, commandLine(name, request.body));
      const carrier = { clock, transcript, peer: connection, connection: connectionOf(connection), real: undefined };
      const one = new ScriptedRequest(request, carrier, resolve);
      if (byThemselves.has(canonical(name)) && !expectations.wants(one)) {
        resolve(byItself(request, connection));
        return;
      }
      expectations.arrive(one);
    });

  const accept = (socket: Socket): void => {
    lastId += 1;
    const connection = new Connection(lastId, socket);
    connections.add(connection);
    connection.start({
      compressors,
      traffic: { bytesIn: 0, bytesOut: 0, requests: 0 },
      longest: () => maxMessageSize,
      answer: request => answer(request, connection),
      refuse: refusal,
      closed: () => {
        connections.delete(connection);
        transcript.broke(connection.id, 'closed');
      },
    });
  };

  return {
    accept,
    expect: (command, subset, expectOptions) => expectations.expect(command, subset, expectOptions),
    become: fields => hello.become(fields),
    transcript: () => transcript.toString(),
    listen: async (at = '127.0.0.1:0') => {
      const listening = await listener.listen(at, accept);
      listenings.add(listening);
      return listening;
    },
    [Symbol.asyncDispose]: async () => {
      const problems = expectations.close();
      const error =
        problems.length === 0
          ? undefined
          : new ScriptError(`The script was not completed: ${problems.join('; ')}.`, transcript);
      for (const connection of [...connections]) connection.close();
      await Promise.all([...listenings].map(listening => listening.close()));
      if (error !== undefined) throw error;
    },
  };
};

import type { Address, Listening, Runtime, Socket } from '@tessera/contracts';
import { refusal } from '../commands/dispatch.js';
import type { Answer } from '../wire/connection.js';
import { Connection } from '../wire/connection.js';
import type { Request } from '../wire/message.js';
import { AutomaticHello } from './automatic-hello.js';
import type { ExpectOptions } from './expectations.js';
import { Expectations } from './expectations.js';
import type { Plain } from './plain.js';
import { canonical, connectionOf, okReply, ScriptedRequest } from './request.js';
import { ScriptError, told, toldReply, Transcript } from './transcript.js';

export interface BlackPipeOptions {
  /**
   * Fields of the hello that is answered without a script, beside those of a standalone of MongoDB 8.0: `{ setName: 'rs',
   * maxWireVersion: 21 }`. `scripted`: every hello is to be expected, too.
   */
  readonly hello?: Plain | 'scripted';
  /** Commands that are answered `{ ok: 1 }` unless they are expected. Default `endSessions`, with which clients close. */
  readonly automatic?: readonly string[];
}

const defaults: Required<BlackPipeOptions> = { hello: {}, automatic: ['endSessions'] };

/** A server that does nothing by itself: a test says what each request is answered. */
export interface BlackPipe extends AsyncDisposable {
  /** Accepts connections at an address; port 0 asks for a free one. @throws MongoError `network` if it cannot be had */
  listen(at?: Address): Promise<Listening>;
  /** Serves one socket. */
  accept(socket: Socket): void;
  /**
   * The next request: it must be this command, and have at least these fields (see `any` for those that cannot be known).
   * Requests and expectations meet in order, apart for each lane: hellos, all others, or one connection.
   * @throws ScriptError if another one came, which is answered 59 CommandNotFound, or none in time
   */
  expect(command: string, subset?: Plain, options?: ExpectOptions): Promise<ScriptedRequest>;
  /** From now on hello says so; clients that await a change of topologyVersion are told at once. */
  become(hello: Plain): void;
  /** All that came and went so far, one line each. */
  transcript(): string;
  /**
   * Closes every connection.
   * @throws ScriptError with the transcript if requests are left that were not expected or not answered, or expectations that
   * were not met
   */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * A server for tests of drivers, scripted request by request. It takes time and sockets from the runtime, so it runs on ports
 * and in a simulated world alike.
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
    transcript.went(connection.id, `${toldReply(answer.doc)} (by itself)`);
    return answer;
  };

  const answer = (request: Request, connection: Connection): Promise<Answer | undefined> =>
    new Promise(resolve => {
      const name = request.body.entries()[0]?.[0] ?? '';
      transcript.came(connection.id, told(name, request.body));
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
          : new ScriptError(`The script is not played out: ${problems.join('; ')}.`, transcript);
      for (const connection of [...connections]) connection.close();
      await Promise.all([...listenings].map(listening => listening.close()));
      if (error !== undefined) throw error;
    },
  };
};

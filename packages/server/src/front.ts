import type { Address, Listening, Runtime, Socket, Soon } from '@tessera/contracts';
import { Login } from './auth/login.js';
import type { ClientState } from './commands/command.js';
import { refusal } from './commands/dispatch.js';
import type { Turn } from './connection-rate.js';
import { ConnectionRate } from './connection-rate.js';
import type { Parameters } from './engine/parameters.js';
import type { InterceptOptions } from './script/interceptions.js';
import { Interceptions } from './script/interceptions.js';
import type { Plain } from './script/plain.js';
import type { ScriptedRequest } from './script/request.js';
import type { Answer, ConnectionCounts, Traffic } from './wire/connection.js';
import { Connection } from './wire/connection.js';
import { maxMessageSize, maxUnauthenticatedSize } from './wire/frame.js';
import type { Request } from './wire/message.js';

/** An address that the server listens on. A restart replaces `listening`. */
interface Place {
  listening: Listening;
  readonly accept: (socket: Socket) => void;
}

/** How a connection reached a server. `accept` of a mongos in `@tessera/cluster` takes it. */
export interface Entrance {
  /** Whether the connection came through a load balancer. Default: false. */
  readonly isBalanced?: boolean;
  /** Called once, when the connection is closed or refused. */
  readonly closed?: () => void;
}

/** The sockets of one server process: its listeners, its connections, and the requests that tests intercept. */
export class Front {
  readonly counts: ConnectionCounts;
  readonly traffic: Traffic = { bytesIn: 0, bytesOut: 0, requests: 0 };
  readonly #runtime: Pick<Runtime, 'listener' | 'compressors'>;
  readonly #answer: (client: ClientState, request: Request) => Soon<Answer>;
  readonly #isKnown: (client: ClientState) => boolean;
  readonly #connections = new Set<Connection>();
  readonly #places = new Set<Place>();
  readonly #interceptions: Interceptions;
  readonly #rate: ConnectionRate;
  #closed = false;
  /** Set while the process is frozen: the callbacks to run when it thaws. */
  #frozen: (() => void)[] | undefined;
  /** Set after the process crashed or shut down: settled once every listener is closed. */
  #gone: Promise<unknown> | undefined;

  /**
   * @param isKnown returns whether the client has authenticated, or authentication is not required
   * @param most the maximum number of open connections
   * @throws RangeError if `most` is not a whole number of at least 1
   */
  constructor(
    runtime: Pick<Runtime, 'clock' | 'listener' | 'compressors'>,
    parameters: Parameters,
    answer: (client: ClientState, request: Request) => Soon<Answer>,
    isKnown: (client: ClientState) => boolean,
    most: number,
  ) {
    if (!Number.isInteger(most) || most < 1)
      throw new RangeError(`"maxIncomingConnections" must be a whole number of at least 1, but is ${most}.`);
    this.counts = { current: 0, most, totalCreated: 0, rejected: 0 };
    this.#runtime = runtime;
    this.#answer = answer;
    this.#isKnown = isKnown;
    this.#rate = new ConnectionRate(runtime.clock, parameters);
    this.#interceptions = new Interceptions(runtime.clock);
  }

  /** Whether the server has neither crashed nor been closed. */
  get isRunning(): boolean {
    return this.#gone === undefined && !this.#closed;
  }

  /** Whether the server has as many connections as it accepts. */
  get isFull(): boolean {
    return this.counts.current >= this.counts.most;
  }

  accept(socket: Socket, { isBalanced = false, closed }: Entrance = {}): void {
    const turn = this.#admit();
    if (turn === 'never') {
      if (this.#gone === undefined || socket.reset === undefined) socket.destroy();
      else socket.reset();
      return closed?.();
    }
    this.counts.totalCreated += 1;
    const connection = new Connection(this.counts.totalCreated, socket);
    const client: ClientState = {
      peer: connection,
      metadata: undefined,
      isInternal: false,
      isTrusted: false,
      isBalanced,
      latest: undefined,
      login: new Login(),
    };
    this.counts.current += 1;
    this.#connections.add(connection);
    const interceptions = this.#interceptions;
    const served = (request: Request): Soon<Answer | undefined> =>
      interceptions.armed
        ? interceptions.answer(request, connection, () => this.#held(client, request))
        : this.#held(client, request);
    connection.start({
      compressors: this.#runtime.compressors,
      traffic: this.traffic,
      longest: () => (this.#isKnown(client) ? maxMessageSize : maxUnauthenticatedSize),
      answer: turn === 'now' ? served : request => turn.then(() => served(request)),
      refuse: refusal,
      closed: () => {
        if (this.#connections.delete(connection)) this.counts.current -= 1;
        closed?.();
      },
    });
    if (this.#closed) connection.close();
  }

  #admit(): Turn {
    if (this.#gone !== undefined) return 'never';
    if (!this.isFull) return this.#rate.turn();
    this.counts.rejected += 1;
    return 'never';
  }

  #held(client: ClientState, request: Request): Soon<Answer> {
    if (this.#frozen !== undefined) return this.#thawed().then(() => this.#held(client, request));
    return this.#holding(this.#answer(client, request));
  }

  /** Delays answers that become ready while the process is frozen until it thaws. */
  #holding(answer: Soon<Answer>): Soon<Answer> {
    if (answer instanceof Promise) return answer.then(done => this.#late(done));
    const { next } = answer;
    return next === undefined ? answer : { ...answer, next: () => this.#holding(next()) };
  }

  async #late(answer: Answer): Promise<Answer> {
    if (this.#frozen !== undefined) await this.#thawed();
    return this.#holding(answer);
  }

  #thawed(): Promise<void> {
    return new Promise(resolve => this.#frozen!.push(resolve));
  }

  /** Stops answering requests. The server still accepts connections. */
  freeze(): void {
    this.#frozen ??= [];
  }

  /** Resumes, and handles the requests that arrived in the meantime. */
  thaw(): void {
    const waiting = this.#frozen ?? [];
    this.#frozen = undefined;
    for (const go of waiting) go();
  }

  /** Listens on an address. @throws MongoError `network` if the address is not available */
  async listen(at: Address, accept: (socket: Socket) => void = socket => this.accept(socket)): Promise<Listening> {
    const place: Place = { listening: await this.#listening(at, accept), accept };
    this.#places.add(place);
    return {
      address: place.listening.address,
      close: async () => {
        this.#places.delete(place);
        await place.listening.close();
      },
    };
  }

  intercept(command: string, subset?: Plain, options?: InterceptOptions): Promise<ScriptedRequest> {
    return this.#interceptions.intercept(command, subset, options);
  }

  /**
   * Closes the listeners and resets all connections. An orderly end sends pending replies before it closes the
   * connections.
   */
  crash({ orderly = false }: { readonly orderly?: boolean } = {}): void {
    this.#gone = Promise.all([...this.#places].map(({ listening }) => listening.close()));
    for (const connection of [...this.#connections]) {
      if (orderly) connection.end();
      else connection.reset();
    }
    this.thaw();
    Object.assign(this.counts, { totalCreated: 0, rejected: 0 });
  }

  /** Closes all connections. Clients have to connect again. */
  hangUp(): void {
    for (const connection of [...this.#connections]) connection.close();
  }

  /** Resolves once every listener of the crashed process is closed. @throws RangeError unless the server has crashed */
  async listenersClosed(): Promise<void> {
    if (this.#gone === undefined || this.#closed)
      throw new RangeError('The server cannot be restarted, because it is running or closed. Call crash() first.');
    await this.#gone;
  }

  /** Listens again on all addresses. */
  async restart(): Promise<void> {
    this.#gone = undefined;
    for (const place of this.#places) place.listening = await this.#listening(place.listening.address, place.accept);
  }

  #listening(at: Address, accept: (socket: Socket) => void): Promise<Listening> {
    const { counts } = this;
    return this.#runtime.listener.listen(at, accept, { most: counts.most, refused: () => (counts.rejected += 1) });
  }

  /** Refuses new connections and closes the open ones. */
  closeConnections(): void {
    this.#closed = true;
    this.hangUp();
    this.thaw();
  }

  /**
   * Closes connections and listeners.
   * @throws ScriptError if an intercepted request was not answered, or an expected request never arrived
   */
  async close(): Promise<void> {
    this.closeConnections();
    await Promise.all([...this.#places].map(({ listening }) => listening.close()));
    this.#places.clear();
    this.#interceptions.close();
  }
}

import type { Address, Listening, Runtime, Socket, Soon } from '@tessera/contracts';
import { Login } from './auth/login.js';
import type { ClientState } from './commands/command.js';
import { refusal } from './commands/dispatch.js';
import type { InterceptOptions } from './script/interceptions.js';
import { Interceptions } from './script/interceptions.js';
import type { Plain } from './script/plain.js';
import type { ScriptedRequest } from './script/request.js';
import type { Answer } from './wire/connection.js';
import { Connection } from './wire/connection.js';
import type { Request } from './wire/message.js';

/** Where it listens; a new listening after a restart. */
interface Place {
  listening: Listening;
  readonly accept: (socket: Socket) => void;
}

/** How a connection came. */
export interface Entrance {
  /** Through a load balancer. Default false. */
  readonly isBalanced?: boolean;
  /** Called once, when the connection is gone. */
  readonly closed?: () => void;
}

/** The sockets of one server process: who listens, who is connected, and what tests take out of its hands. */
export class Front {
  /** Connections; those that are left, and all since the process began. */
  readonly counts = { current: 0, totalCreated: 0 };
  readonly #runtime: Pick<Runtime, 'listener' | 'compressors'>;
  readonly #answer: (client: ClientState, request: Request) => Soon<Answer>;
  readonly #connections = new Set<Connection>();
  readonly #places = new Set<Place>();
  readonly #interceptions: Interceptions;
  #closed = false;
  /** Of a process that is gone: settled when nobody listens any more. */
  #gone: Promise<unknown> | undefined;

  constructor(
    runtime: Pick<Runtime, 'clock' | 'listener' | 'compressors'>,
    answer: (client: ClientState, request: Request) => Soon<Answer>,
  ) {
    this.#runtime = runtime;
    this.#answer = answer;
    this.#interceptions = new Interceptions(runtime.clock);
  }

  /** Neither crashed nor closed. */
  get isRunning(): boolean {
    return this.#gone === undefined && !this.#closed;
  }

  accept(socket: Socket, { isBalanced = false, closed }: Entrance = {}): void {
    if (this.#gone !== undefined) return socket.reset === undefined ? socket.destroy() : socket.reset();
    this.counts.totalCreated += 1;
    const connection = new Connection(this.counts.totalCreated, socket);
    const client: ClientState = {
      peer: connection,
      metadata: undefined,
      isInternal: false,
      isTrusted: false,
      isBalanced,
      login: new Login(),
    };
    this.counts.current += 1;
    this.#connections.add(connection);
    const interceptions = this.#interceptions;
    connection.start({
      compressors: this.#runtime.compressors,
      answer: request =>
        interceptions.armed
          ? interceptions.answer(request, connection, () => this.#answer(client, request))
          : this.#answer(client, request),
      refuse: refusal,
      closed: () => {
        if (this.#connections.delete(connection)) this.counts.current -= 1;
        closed?.();
      },
    });
    if (this.#closed) connection.close();
  }

  /** @throws MongoError `network` if the address cannot be had */
  async listen(at: Address, accept: (socket: Socket) => void = socket => this.accept(socket)): Promise<Listening> {
    const place: Place = { listening: await this.#runtime.listener.listen(at, accept), accept };
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

  /** Nobody listens, and connections are reset. */
  crash(): void {
    this.#gone = Promise.all([...this.#places].map(({ listening }) => listening.close()));
    for (const connection of [...this.#connections]) connection.reset();
    this.counts.totalCreated = 0;
  }

  /** @throws RangeError unless it has crashed */
  async nobodyListens(): Promise<void> {
    if (this.#gone === undefined || this.#closed)
      throw new RangeError('The server runs, or is closed: only after a crash it can be restarted');
    await this.#gone;
  }

  /** Listens again at all its addresses. */
  async restart(): Promise<void> {
    this.#gone = undefined;
    for (const place of this.#places)
      place.listening = await this.#runtime.listener.listen(place.listening.address, place.accept);
  }

  /** Accepts no more, and closes every connection. */
  closeConnections(): void {
    this.#closed = true;
    for (const connection of [...this.#connections]) connection.close();
  }

  /** @throws ScriptError if a request that was intercepted was not answered, or never came */
  async close(): Promise<void> {
    this.closeConnections();
    await Promise.all([...this.#places].map(({ listening }) => listening.close()));
    this.#places.clear();
    this.#interceptions.close();
  }
}

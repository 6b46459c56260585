import type {
  Address,
  Attempt,
  BsonCodec,
  Clock,
  Deployment,
  Dispatch,
  Exchange,
  Lease,
  Millis,
  Operation,
  Reply,
  Selection,
} from '@tessera/contracts';
import { Cancellation, MongoError, noLimit } from '@tessera/contracts';
import { KillCursors } from './get-more.js';
import { createRequest } from './request.js';

/** The dependencies of {@link Kills}. */
export interface KillsDeps {
  readonly bson: BsonCodec;
  readonly clock: Pick<Clock, 'now'>;
  readonly deployment: Deployment;
  /** Sends a command once, without a session. */
  readonly dispatch: Dispatch;
  readonly newOperationId: () => number;
  /** The exchanges of every command. */
  readonly exchanges: readonly Exchange[];
}

/** The cursors to kill on one server, by namespace. An empty queue is deleted. */
interface Queue {
  readonly at: Address;
  readonly namespaces: Map<string, bigint[]>;
  working: Promise<void> | undefined;
}

/** How long the server may take to reply to one command. */
const answerLimit: Millis = 500;

/** The maximum number of waiting cursors. Further ones are left to the server, which kills idle cursors itself. */
const maxCursors = 10_000;

/** The maximum number of cursors in one command. */
const perCommand = 1_000;

const anywhere: Selection = { mode: 'primaryPreferred' };

/**
 * Kills server cursors in the background: cursors in late replies, and cursors whose `killCursors` found no free connection. At most
 * one of these commands runs per server. A command that cannot be sent waits for the next cursor of its server or for `close`.
 */
export class Kills {
  readonly #deps: KillsDeps;
  readonly #queues = new Map<Address, Queue>();
  readonly #holding = new Cancellation();
  #count = 0;
  /**
   * - `open`: kills cursors as soon as a connection is free
   * - `held`: cursors wait for `close`
   * - `closed`: sends the waiting commands and accepts no more cursors
   */
  #state: 'open' | 'held' | 'closed' = 'open';
  /** The deadline of a command, including the wait for its connection. */
  #deadline: Millis = noLimit;

  constructor(deps: KillsDeps) {
    this.#deps = deps;
  }

  /** Adds a cursor that shall be killed. */
  readonly add = (at: Address, namespace: string, id: bigint): void => {
    // Behind a load balancer, another connection may reach another server.
    const isLoadBalanced = this.#deps.deployment.description.type === 'LoadBalanced';
    if (this.#state === 'closed' || isLoadBalanced || this.#count >= maxCursors) return;
    const queue = this.#put(at, namespace, [id]);
    if (this.#state === 'open') void this.#start(queue);
  };

  /**
   * Kills the cursor in the late reply of a failed operation, because no caller has its id. If the connection breaks before the reply,
   * the id is unknown, and the cursor ends with its session or by the server's time limit.
   */
  readonly late = (reply: Reply, attempt: Attempt, { role }: Operation<unknown>): void => {
    // The caller of a getMore has the cursor's id and kills it.
    if (role === 'continuesCursor' || !reply.ok) return;
    let id: bigint | undefined;
    let namespace: string | undefined;
    try {
      const cursor = reply.view('cursor');
      id = cursor?.long('id');
      namespace = cursor?.text('ns');
    } catch {
      // A malformed reply has no cursor.
      return;
    }
    if (id === undefined || id === 0n || namespace === undefined) return;
    if (attempt.topology !== 'LoadBalanced') this.add(attempt.server.address, namespace, id);
    else void this.#killOn(attempt.hold('cursor'), namespace, [id]);
  };

  /** Stops sending until `close`. */
  hold(): void {
    this.#state = 'held';
    this.#holding.abort(undefined);
  }

  /** Sends the waiting commands, one at a time per server, and accepts no more cursors. Never rejects. */
  async close(deadline: Millis): Promise<void> {
    this.hold();
    for (const { working } of [...this.#queues.values()]) await working;
    this.#state = 'closed';
    this.#deadline = deadline;
    await Promise.all([...this.#queues.values()].map(queue => this.#start(queue)));
    this.#queues.clear();
  }

  #put(at: Address, namespace: string, ids: readonly bigint[]): Queue {
    let queue = this.#queues.get(at);
    if (queue === undefined) this.#queues.set(at, (queue = { at, namespaces: new Map(), working: undefined }));
    const accepted = ids.slice(0, maxCursors - this.#count);
    this.#count += accepted.length;
    const waiting = queue.namespaces.get(namespace);
    if (waiting !== undefined) waiting.push(...accepted);
    else if (accepted.length > 0) queue.namespaces.set(namespace, accepted);
    return queue;
  }

  #start(queue: Queue): Promise<void> {
    return (queue.working ??= this.#work(queue));
  }

  /** Sends commands for a queue with cursors until it is empty, held, or a command cannot be sent. */
  async #work(queue: Queue): Promise<void> {
    let continues: boolean;
    do continues = await this.#sendOne(queue);
    while (continues && queue.namespaces.size > 0 && this.#state !== 'held');
    // In the same turn as the last check of the queue, so that the next cursor starts the work again.
    queue.working = undefined;
    if (queue.namespaces.size === 0) this.#queues.delete(queue.at);
  }

  /** Sends one command. Resolves to false if it could not be sent. */
  async #sendOne(queue: Queue): Promise<boolean> {
    // Take ids only after the checkout: more cursors of the same namespace may be added until then.
    const lease = await this.#checkOut(queue);
    if (lease === undefined) return false;
    const [namespace, waiting] = [...queue.namespaces][0]!;
    const ids = waiting.splice(0, perCommand);
    if (waiting.length === 0) queue.namespaces.delete(namespace);
    this.#count -= ids.length;
    const failure = await this.#killOn(lease, namespace, ids);
    if (!mayBeUnreceived(failure)) return true;
    this.#put(queue.at, namespace, ids);
    return false;
  }

  /** Resolves to undefined if the checkout fails. */
  async #checkOut(queue: Queue): Promise<Lease | undefined> {
    const { deployment, newOperationId } = this.#deps;
    const { at } = queue;
    const deadline = this.#deadline;
    const signal = this.#state === 'closed' ? undefined : this.#holding;
    const request = createRequest(this.#command('admin.', []), newOperationId(), { deadline, signal });
    try {
      const { pool } = await deployment.select(request, at);
      return await pool.checkOut({ deadline, signal });
    } catch {
      // Cursors on a server that has left the deployment cannot be killed.
      if (!deployment.description.servers.has(at)) this.#drop(queue);
      return undefined;
    }
  }

  #drop({ namespaces }: Queue): void {
    for (const ids of namespaces.values()) this.#count -= ids.length;
    namespaces.clear();
  }

  /** Sends one command on a connection and releases it. Resolves to the error, or undefined. */
  async #killOn(lease: Lease, namespace: string, ids: readonly bigint[]): Promise<unknown> {
    const { clock, dispatch, newOperationId, exchanges } = this.#deps;
    const deadline = Math.min(this.#deadline, clock.now() + answerLimit);
    const { connection } = lease;
    const kill = this.#command(namespace, ids);
    const failure = await dispatch(createRequest(kill, newOperationId(), { deadline, exchanges }, { lease })).then(
      () => undefined,
      (error: unknown) => error,
    );
    const free = !MongoError.is(failure) || connection.detach(failure);
    if (free instanceof Promise)
      void free.then(() => {
        lease.release();
      });
    else lease.release();
    return failure;
  }

  #command(namespace: string, ids: readonly bigint[]): KillCursors {
    const dot = namespace.indexOf('.');
    const db = namespace.slice(0, dot);
    const database = this.#deps.bson.elements({ $db: db });
    return new KillCursors({ db, selection: anywhere, database }, namespace.slice(dot + 1), ...ids);
  }
}

/** Returns whether the server may not have received the command: it was not sent, or the closing client closed the connection. */
const mayBeUnreceived = (error: unknown): boolean =>
  MongoError.is(error) && (error.origin?.sent !== true || error.kind === 'closed');

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

export interface KillsDeps {
  readonly bson: BsonCodec;
  readonly clock: Pick<Clock, 'now'>;
  readonly deployment: Deployment;
  /** Sends a command once, without a session. */
  readonly dispatch: Dispatch;
  readonly newOperationId: () => number;
  /** For every command. */
  readonly exchanges: readonly Exchange[];
}

/** The cursors to end on one server, by namespace. A queue without cursors is forgotten. */
interface Queue {
  readonly at: Address;
  readonly namespaces: Map<string, bigint[]>;
  working: Promise<void> | undefined;
}

/** How long the server may take to answer one command, from the moment it is sent. */
const answerLimit: Millis = 500;

/** How many cursors wait to be ended. More are left to the server, which ends idle cursors itself. */
const maxCursors = 10_000;

/** How many cursors one command names. */
const perCommand = 1_000;

const anywhere: Selection = { mode: 'primaryPreferred' };

/**
 * Ends server cursors in the background: those of late replies, and those whose `killCursors` found no free connection.
 * Each server has at most one of these commands under way. A command that cannot be sent waits for the next cursor of its server
 * or for `close`.
 */
export class Kills {
  readonly #deps: KillsDeps;
  readonly #queues = new Map<Address, Queue>();
  readonly #holding = new Cancellation();
  #count = 0;
  /**
   * - `open`: cursors are ended as soon as a connection is free
   * - `held`: cursors wait for `close`
   * - `closed`: what waits is sent, and no more cursors are accepted
   */
  #state: 'open' | 'held' | 'closed' = 'open';
  /** Of a command; the wait for its connection has no other limit. */
  #deadline: Millis = noLimit;

  constructor(deps: KillsDeps) {
    this.#deps = deps;
  }

  readonly add = (at: Address, namespace: string, id: bigint): void => {
    // Behind a load balancer another connection leads to another server.
    const leadsElsewhere = this.#deps.deployment.description.type === 'LoadBalanced';
    if (this.#state === 'closed' || leadsElsewhere || this.#count >= maxCursors) return;
    const queue = this.#put(at, namespace, [id]);
    if (this.#state === 'open') void this.#start(queue);
  };

  /**
   * Ends the cursor that a late reply names: the operation failed before, so nobody else knows of that cursor. If the connection
   * breaks before the reply comes, the cursor's id is unknown, and the cursor ends with its session or by the server's time limit.
   */
  readonly late = (reply: Reply, attempt: Attempt, { role }: Operation<unknown>): void => {
    // The caller of a getMore knows the cursor and ends it.
    if (role === 'continuesCursor' || !reply.ok) return;
    let id: bigint | undefined;
    let namespace: string | undefined;
    try {
      const cursor = reply.view('cursor');
      id = cursor?.long('id');
      namespace = cursor?.text('ns');
    } catch {
      // A reply that cannot be read names no cursor.
      return;
    }
    if (id === undefined || id === 0n || namespace === undefined) return;
    if (attempt.topology !== 'LoadBalanced') this.add(attempt.server.address, namespace, id);
    else void this.#killOn(attempt.hold('cursor'), namespace, [id]);
  };

  /** Sends nothing more until `close`. */
  hold(): void {
    this.#state = 'held';
    this.#holding.abort(undefined);
  }

  /** Sends what waits, one command at a time to each server, and accepts no more cursors. Never fails. */
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

  /** For a queue that has cursors. */
  async #work(queue: Queue): Promise<void> {
    let continues: boolean;
    do continues = await this.#sendOne(queue);
    while (continues && queue.namespaces.size > 0 && this.#state !== 'held');
    // In the same turn as the last look at the queue, so that the next cursor starts the work again.
    queue.working = undefined;
    if (queue.namespaces.size === 0) this.#queues.delete(queue.at);
  }

  /** Resolves with false if the command could not be sent. */
  async #sendOne(queue: Queue): Promise<boolean> {
    // Ids are taken only once a connection is free: until then more cursors of the same namespace may come.
    const lease = await this.#checkOut(queue);
    if (lease === undefined) return false;
    const [namespace, waiting] = [...queue.namespaces][0]!;
    const ids = waiting.splice(0, perCommand);
    if (waiting.length === 0) queue.namespaces.delete(namespace);
    this.#count -= ids.length;
    const failure = await this.#killOn(lease, namespace, ids);
    if (!isUnheard(failure)) return true;
    this.#put(queue.at, namespace, ids);
    return false;
  }

  /** Resolves with undefined if there is no connection to be had. */
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
      // The cursors of a server that has left the deployment can no longer be ended.
      if (!deployment.description.servers.has(at)) this.#drop(queue);
      return undefined;
    }
  }

  #drop({ namespaces }: Queue): void {
    for (const ids of namespaces.values()) this.#count -= ids.length;
    namespaces.clear();
  }

  /** Resolves with what went wrong, if anything did. */
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

/** The server may not have received the command: it was not sent, or the closing client closed its connection at once. */
const isUnheard = (error: unknown): boolean =>
  MongoError.is(error) && (error.origin?.sent !== true || error.kind === 'closed');

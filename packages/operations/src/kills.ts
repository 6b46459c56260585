import type {
  Address,
  Attempt,
  BsonCodec,
  Clock,
  Deployment,
  Dispatch,
  Lease,
  Millis,
  Operation,
  Reply,
  Selection,
} from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';
import { KillCursors } from './get-more.js';
import { createRequest } from './request.js';

export interface KillsDeps {
  readonly bson: BsonCodec;
  readonly clock: Pick<Clock, 'now'>;
  readonly deployment: Deployment;
  /** Sends a command once, without a session. */
  readonly dispatch: Dispatch;
  readonly newOperationId: () => number;
}

/** The cursors to end on one server, by namespace. */
interface Queue {
  readonly at: Address;
  readonly namespaces: Map<string, bigint[]>;
  working: Promise<void> | undefined;
}

/** How long the server may take to answer one command. */
const answerLimit: Millis = 500;

/** How many cursors wait to be ended. More are left to the server, which ends idle cursors itself. */
const most = 10_000;

/** How many cursors one command names. */
const perCommand = 1_000;

const anywhere: Selection = { mode: 'primaryPreferred' };

/**
 * Ends server cursors in the background: those of late replies, and those whose `killCursors` found no free connection.
 * Each server has at most one of these commands under way. What fails before it is sent waits for the next cursor or for `close`.
 */
export class Kills {
  readonly #deps: KillsDeps;
  readonly #queues = new Map<Address, Queue>();
  #count = 0;
  #isClosed = false;
  /** Finite once the client closes. */
  #deadline: Millis = Infinity;

  constructor(deps: KillsDeps) {
    this.#deps = deps;
  }

  readonly add = (at: Address, namespace: string, id: bigint): void => {
    if (this.#isClosed || this.#count >= most) return;
    this.#count++;
    let queue = this.#queues.get(at);
    if (queue === undefined) this.#queues.set(at, (queue = { at, namespaces: new Map(), working: undefined }));
    const waiting = queue.namespaces.get(namespace);
    if (waiting === undefined) queue.namespaces.set(namespace, [id]);
    else waiting.push(id);
    void this.#start(queue);
  };

  /**
   * Ends the cursor that a late reply names: the operation failed before, so nobody else knows of that cursor. If the connection
   * breaks before the reply comes, the cursor's id is unknown, and the cursor ends with its session or by the server's time limit.
   */
  readonly late = (reply: Reply, attempt: Attempt, { name }: Operation<unknown>): void => {
    // The caller of a getMore knows the cursor and ends it.
    if (name === 'getMore' || !reply.ok) return;
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

  /** Sends what waits, and accepts nothing more. Never fails. */
  async close(deadline: Millis): Promise<void> {
    this.#deadline = deadline;
    // What was under way has failed with the client's other operations.
    for (const { working } of [...this.#queues.values()]) await working;
    this.#isClosed = true;
    await Promise.all([...this.#queues.values()].map(queue => this.#start(queue)));
    this.#queues.clear();
  }

  #start(queue: Queue): Promise<void> {
    return (queue.working ??= this.#work(queue).finally(() => {
      queue.working = undefined;
      if (queue.namespaces.size === 0 && this.#queues.get(queue.at) === queue) this.#queues.delete(queue.at);
    }));
  }

  async #work(queue: Queue): Promise<void> {
    for (;;) {
      // Taken only once a connection is free: until then more cursors of the same namespace may come.
      const lease = await this.#checkOut(queue);
      if (lease === undefined) return;
      const [next] = queue.namespaces;
      if (next === undefined) {
        lease.release();
        return;
      }
      const [namespace, waiting] = next;
      const ids = waiting.splice(0, perCommand);
      if (waiting.length === 0) queue.namespaces.delete(namespace);
      this.#count -= ids.length;
      await this.#killOn(lease, namespace, ids);
      if (queue.namespaces.size === 0) return;
    }
  }

  /** Answers undefined if no connection can be had. */
  async #checkOut({ at }: Queue): Promise<Lease | undefined> {
    const { deployment, newOperationId } = this.#deps;
    const deadline = this.#deadline;
    const request = createRequest(this.#command('admin.', []), newOperationId(), { deadline });
    try {
      const { pool } = await deployment.select(request, at);
      return await pool.checkOut({ deadline });
    } catch {
      return undefined;
    }
  }

  async #killOn(lease: Lease, namespace: string, ids: readonly bigint[]): Promise<void> {
    const { clock, dispatch, newOperationId } = this.#deps;
    const deadline = Math.min(this.#deadline, clock.now() + answerLimit);
    const { connection } = lease;
    const kill = this.#command(namespace, ids);
    const failure = await dispatch(createRequest(kill, newOperationId(), { deadline }, { lease })).catch(
      (error: unknown) => error,
    );
    const free = !MongoError.is(failure) || connection.detach(failure);
    if (free instanceof Promise)
      void free.then(() => {
        lease.release();
      });
    else lease.release();
  }

  #command(namespace: string, ids: readonly bigint[]): KillCursors {
    const dot = namespace.indexOf('.');
    const db = namespace.slice(0, dot);
    const database = this.#deps.bson.elements({ $db: db });
    return new KillCursors({ db, selection: anywhere, database }, namespace.slice(dot + 1), ...ids);
  }
}

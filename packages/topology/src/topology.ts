import { Cancellation, MongoError } from '@tessera/contracts';
import type {
  Address,
  ConnectionPool,
  Deployment,
  Millis,
  Request,
  Server,
  ServerDescription,
  TopologyDeps,
  TopologyDescription,
  TopologyOptions,
} from '@tessera/contracts';
import { createMonitor } from './monitoring/monitor.js';
import type { Monitor } from './monitoring/monitor.js';
import { mayStream, resolveOptions } from './options.js';
import { reduce as reduceAsSpecified } from './description/reduce.js';
import type { Reduce, TopologyEffect, TopologyInput, TopologySettings } from './description/reduction.js';
import {
  clientIsClosed,
  closedUnderWay,
  incompatible,
  invalidSelection,
  noServer,
  selectionAborted,
  serverLeft,
} from './selection/selection-error.js';
import type { SelectionContext } from './selection/selection-error.js';
import { createSelector } from './selection/selector.js';
import { isAvailable } from './description/server-description.js';
import { emptyTopology } from './description/topology-description.js';
import { SelectionEvents } from './selection/selection-events.js';
import { createSrvPoller } from './monitoring/srv-poller.js';
import { createSelectionQueue } from './selection/selection-queue.js';
import type { SelectionOutcome } from './selection/selection-queue.js';

/** The dependencies of a topology, and an optional reducer. */
export interface TopologyParts extends TopologyDeps {
  /** Replaces the function `reduce`. Default: `reduce` of this package. */
  readonly reduce?: Reduce | undefined;
}

/** A deployment that discovers and monitors its servers. */
export interface Topology extends Deployment {
  /**
   * Starts discovery: opens the pool and the monitor of each seed. Optional, because the first `select` calls it. Before it is called,
   * the topology opens no connection and emits no event. Further calls do nothing.
   */
  open(): void;
}

interface WatchedServer {
  readonly pool: ConnectionPool;
  /** Undefined for a load balancer. */
  readonly monitor: Monitor | undefined;
  /** The generation of the pool: the number of times that it was cleared. */
  generation: number;
}

type PoolClear = Extract<TopologyEffect, { type: 'clearPool' }>;

/** Limits check-out to the deadline of the selection. Rule: Client Side Operations Timeout, "Server Selection". */
const withCheckOutDeadline = ({ description, pool }: Server, checkOutBy: Millis): Server => ({
  description,
  pool,
  checkOutBy,
});

/**
 * Creates a deployment that discovers its servers, monitors them and selects among them. If a check fails with kind `usage`, such as for
 * a missing certificate file, the waiting selections fail with it at once.
 * @throws MongoError of the kind `usage` for an empty list of seeds, or for options that contradict each other
 */
export const createTopology = (deps: TopologyParts, options: TopologyOptions): Topology => {
  const { clock, random, events, reduce = reduceAsSpecified } = deps;
  const settings = resolveOptions(options);
  const { serverSelectionTimeoutMS, heartbeatFrequencyMS } = settings;
  const reducerSettings: TopologySettings = { ...settings, topologyId: Math.floor(random.unit() * 2 ** 31) };
  const watched = new Map<Address, WatchedServer>();
  const selector = createSelector({ random, poolOf: address => watched.get(address)?.pool }, settings);
  const selectionEvents = new SelectionEvents(events, () => description);
  const pending: TopologyInput[] = [];
  const closingServers = new Set<Promise<void>>();
  const closing = new Cancellation();
  let description: TopologyDescription = emptyTopology;
  /** The server that was removed last because of its reply. Errors say which replica set it belongs to. */
  let removed: ServerDescription | undefined;
  let life: 'new' | 'open' | 'closed' = 'new';
  let isReducing = false;
  let closed: Promise<void> | undefined;

  /** Queues an input that arrives while the effects of another are applied, and takes it in the same tick. */
  const receive = (input: TopologyInput): void => {
    pending.push(input);
    if (isReducing) return;
    isReducing = true;
    try {
      for (let next = pending.shift(); next !== undefined; next = pending.shift()) take(next);
    } finally {
      isReducing = false;
    }
    // While a selection waits, all servers are checked every minHeartbeatFrequencyMS.
    if (queue.serve()) requestChecks();
  };

  const take = (input: TopologyInput): void => {
    const before = description;
    const reduction = reduce(before, withCurrentGeneration(input), reducerSettings);
    if (reduction.description !== before) selector.use(reduction.description);
    description = reduction.description;
    if (input.type === 'checked' && !description.servers.has(input.server.address)) removed = input.server;
    for (const effect of reduction.effects) apply(effect);
    for (const server of description.servers.values()) {
      const known = before.servers.get(server.address);
      if (known !== undefined && isAvailable(known) && !isAvailable(server))
        watched.get(server.address)?.monitor?.forgetRoundTrips();
    }
  };

  /** Reads the generation when the input is taken: the inputs before it may have cleared the pool. */
  const withCurrentGeneration = (input: TopologyInput): TopologyInput =>
    input.type === 'failed' ? { ...input, generation: generationOf(input.error.origin?.address) } : input;

  const generationOf = (address: Address | undefined): number =>
    address === undefined ? 0 : (watched.get(address)?.generation ?? 0);

  const apply = (effect: TopologyEffect): void => {
    switch (effect.type) {
      case 'openServer':
        return openServer(effect.address);
      case 'closeServer':
        return closeServer(effect.address);
      case 'readyPool':
        watched.get(effect.address)?.pool.ready();
        return;
      case 'clearPool':
        return clearPool(effect);
      case 'checkNow':
        if (effect.rest === 'none') watched.get(effect.address)?.monitor?.checkNow();
        else watched.get(effect.address)?.monitor?.requestCheck();
        return;
      case 'recheck':
        watched.get(effect.address)?.monitor?.recheck();
        return;
      case 'cancelCheck':
        watched.get(effect.address)?.monitor?.cancelCheck();
        return;
      case 'event':
        if (events.wants(effect.event.name)) events.emit(effect.event);
        return;
    }
  };

  const openServer = (address: Address): void => {
    const pool = deps.openPool(address, report);
    const monitor = settings.loadBalanced ? undefined : monitorOf(address);
    watched.set(address, { pool, monitor, generation: 0 });
    monitor?.start();
  };

  const monitorOf = (address: Address): Monitor =>
    createMonitor(
      {
        clock,
        events,
        connect: deps.connect,
        checked: server => receive({ type: 'checked', server }),
        failed: error => {
          receive({ type: 'checkFailed', address, error, at: clock.now() });
          // Waiting cannot fix a wrong option, such as a missing certificate file.
          if (error.kind === 'usage') queue.failAll(() => new MongoError('usage', error.message, { cause: error }));
        },
      },
      { ...settings, address, topologyId: reducerSettings.topologyId, mayStream: mayStream(settings) },
    );

  const closeServer = (address: Address): void => {
    const server = watched.get(address);
    if (server === undefined) return;
    watched.delete(address);
    // A server that left the replica set may still answer operations under way.
    server.pool.close(life === 'closed' ? closedUnderWay() : undefined);
    if (server.monitor === undefined) return;
    const closed = server.monitor.close().finally(() => closingServers.delete(closed));
    closingServers.add(closed);
  };

  const clearPool = ({ address, cause, serviceId, interruptInUse }: PoolClear): void => {
    const server = watched.get(address);
    if (server === undefined) return;
    // The pool counts the generations of the services behind a load balancer.
    if (serviceId === undefined) server.generation++;
    server.pool.clear({ cause, serviceId, interruptInUse });
  };

  const requestChecks = (): void => {
    for (const { monitor } of [...watched.values()]) monitor?.requestCheck();
  };

  const report = (error: MongoError): void => {
    if (life === 'open') receive({ type: 'failed', error, generation: 0, at: clock.now() });
  };

  const context = (): SelectionContext => ({ topology: description, removed, now: clock.now(), heartbeatFrequencyMS });

  const trySelect = (request: Request<unknown>, at: Address | undefined): SelectionOutcome => {
    if (life === 'closed') return clientIsClosed();
    if (request.signal?.aborted === true) return selectionAborted(request);
    if (description.compatibilityError !== undefined) return incompatible(description);
    if (at !== undefined) return trySelectAt(request, at);
    const found = selector.select(request.operation.selection, request.avoid);
    return typeof found === 'string' ? invalidSelection(request, found) : found;
  };

  const trySelectAt = (request: Request<unknown>, at: Address): SelectionOutcome => {
    const server = description.servers.get(at);
    const pool = watched.get(at)?.pool;
    if (server === undefined || pool === undefined) return serverLeft(request, at, context());
    return isAvailable(server) ? { description: server, pool } : undefined;
  };

  const queue = createSelectionQueue({
    clock,
    trySelect,
    expired: (request, at, waited) => noServer(request, at, context(), waited),
    aborted: selectionAborted,
    settled: (request, outcome) => selectionEvents.settled(request, outcome),
  });

  // Behind a load balancer SRV records are not polled. Rule: Load Balancers, "DNS Seedlist Discovery".
  const poller =
    deps.lookUpSeeds === undefined || settings.loadBalanced
      ? undefined
      : createSrvPoller(
          {
            clock,
            random,
            lookUpSeeds: deps.lookUpSeeds,
            topologyType: () => description.type,
            found: hosts => receive({ type: 'rescanned', hosts }),
          },
          settings,
        );

  const open = (): void => {
    if (life !== 'new') return;
    life = 'open';
    receive({ type: 'open' });
    if (life === 'open') poller?.start();
  };

  const failWaiting = (): void => {
    queue.failAll(clientIsClosed);
    closing.abort(undefined);
  };

  const close = async (): Promise<void> => {
    const before = life;
    life = 'closed';
    poller?.stop();
    failWaiting();
    if (before === 'open') receive({ type: 'close' });
    // A listener may have called close() while an input is taken, which ends first.
    await Promise.resolve();
    await Promise.all(closingServers);
  };

  const interrupt = (): void => {
    failWaiting();
    for (const { pool } of [...watched.values()]) pool.interrupt(closedUnderWay());
  };

  /** The deadline of a selection that begins now. */
  const selectionDeadline = (request: Request<unknown>): Millis =>
    Math.min(request.deadline, serverSelectionTimeoutMS === 0 ? Infinity : clock.now() + serverSelectionTimeoutMS);

  const waitFor = (request: Request<unknown>, at: Address | undefined): Promise<Server> => {
    const deadline = selectionDeadline(request);
    selectionEvents.waiting(request, deadline - clock.now());
    const server = queue.wait(request, at, deadline);
    requestChecks();
    return request.deadline === Infinity ? server : server.then(found => withCheckOutDeadline(found, deadline));
  };

  return {
    get description() {
      return description;
    },
    open,
    select(request, at) {
      open();
      selectionEvents.started(request);
      const found = trySelect(request, at);
      if (found === undefined) return waitFor(request, at);
      if (MongoError.is(found)) {
        selectionEvents.failed(request, found);
        return Promise.reject(found);
      }
      selectionEvents.succeeded(request, found.description.address);
      return request.deadline === Infinity ? found : withCheckOutDeadline(found, selectionDeadline(request));
    },
    report,
    close: () => (closed ??= close()),
    interrupt,
    closing,
  };
};

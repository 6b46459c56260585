import { Cancellation, MongoError } from '@tessera/contracts';
import type {
  Address,
  Clock,
  Connect,
  ConnectionPool,
  Deployment,
  EventSink,
  Millis,
  OpenPool,
  Random,
  Request,
  Server,
  TopologyDescription,
} from '@tessera/contracts';
import { createMonitor } from './monitoring/monitor.js';
import type { Monitor } from './monitoring/monitor.js';
import { mayStream, resolveOptions } from './options.js';
import type { TopologyOptions } from './options.js';
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
import type { Seen } from './selection/selection-error.js';
import { createSelector } from './selection/selector.js';
import { isAvailable } from './description/server-description.js';
import { nowhere } from './description/topology-description.js';
import { SelectionEvents } from './selection/selection-events.js';
import { createSrvPoller } from './monitoring/srv-poller.js';
import type { LookUpSeeds } from './monitoring/srv-poller.js';
import { createSelectionQueue } from './selection/selection-queue.js';
import type { Found } from './selection/selection-queue.js';

export interface TopologyDeps {
  readonly clock: Clock;
  /** For the choice among servers that are equally good, and the topologyId of events. */
  readonly random: Random;
  readonly events: EventSink;
  /** For the monitors. */
  readonly connect: Connect;
  readonly openPool: OpenPool;
  /** Where the seeds came from SRV records: asks for them again. Whoever balances loads is not asked. */
  readonly lookUpSeeds?: LookUpSeeds | undefined;
  /** Decides what follows from each thing heard, in place of Server Discovery and Monitoring as it is written. */
  readonly reduce?: Reduce | undefined;
}

export interface Topology extends Deployment {
  /** Starts discovery; the first `select` does it too. Until then nothing is opened and no event is emitted. */
  open(): void;
}

interface Watched {
  readonly pool: ConnectionPool;
  /** A load balancer has none. */
  readonly monitor: Monitor | undefined;
  /** How often its pool was cleared: the pool's own generation. */
  generation: number;
}

/** Selection and checkout have one time limit together. Rule: Client Side Operations Timeout, "Server Selection". */
const timely = ({ description, pool }: Server, checkOutBy: Millis): Server => ({ description, pool, checkOutBy });

/**
 * A deployment that finds its servers, watches them and chooses among them.
 * @throws MongoError `usage` for options that contradict each other.
 */
export const createTopology = (deps: TopologyDeps, options: TopologyOptions): Topology => {
  const { clock, random, events, reduce = reduceAsSpecified } = deps;
  const settings = resolveOptions(options);
  const { serverSelectionTimeoutMS, heartbeatFrequencyMS } = settings;
  const reducer: TopologySettings = { ...settings, topologyId: Math.floor(random.unit() * 2 ** 31) };
  const watched = new Map<Address, Watched>();
  const selector = createSelector({ random, poolOf: address => watched.get(address)?.pool }, settings);
  const announce = new SelectionEvents(events, () => description);
  const pending: TopologyInput[] = [];
  const closing = new Set<Promise<void>>();
  const end = new Cancellation();
  let description: TopologyDescription = nowhere;
  let life: 'new' | 'open' | 'closed' = 'new';
  let isReducing = false;
  let closed: Promise<void> | undefined;

  /** Inputs that come while the effects of another are applied follow it, in the same turn. */
  const receive = (input: TopologyInput): void => {
    pending.push(input);
    if (isReducing) return;
    isReducing = true;
    try {
      for (let next = pending.shift(); next !== undefined; next = pending.shift()) take(next);
    } finally {
      isReducing = false;
    }
    // While someone waits, all servers are checked as often as may be.
    if (queue.serve()) requestChecks();
  };

  const take = (input: TopologyInput): void => {
    const before = description;
    const reduction = reduce(before, current(input), reducer);
    if (reduction.description !== before) selector.look(reduction.description);
    description = reduction.description;
    for (const effect of reduction.effects) apply(effect);
    for (const server of description.servers.values()) {
      const known = before.servers.get(server.address);
      if (known !== undefined && isAvailable(known) && !isAvailable(server))
        watched.get(server.address)?.monitor?.forgetRoundTrips();
    }
  };

  /** An error that waited its turn is judged by the generation of its turn. */
  const current = (input: TopologyInput): TopologyInput =>
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
        checked: server => {
          receive({ type: 'checked', server });
        },
        failed: error => {
          receive({ type: 'checkFailed', address, error, at: clock.now() });
          // Waiting does not mend what the client was told wrongly: a certificate file that is not there.
          if (error.kind === 'usage') queue.failAll(() => new MongoError('usage', error.message, { cause: error }));
        },
      },
      { ...settings, address, topologyId: reducer.topologyId, mayStream: mayStream(settings) },
    );

  const closeServer = (address: Address): void => {
    const server = watched.get(address);
    if (server === undefined) return;
    watched.delete(address);
    // A server that left the set may still answer what it was asked.
    server.pool.close(life === 'closed' ? closedUnderWay() : undefined);
    if (server.monitor === undefined) return;
    const closed = server.monitor.close().finally(() => closing.delete(closed));
    closing.add(closed);
  };

  const clearPool = (effect: Extract<TopologyEffect, { type: 'clearPool' }>): void => {
    const server = watched.get(effect.address);
    if (server === undefined) return;
    // Services behind a load balancer have generations of their own, which their pool counts.
    if (effect.serviceId === undefined) server.generation++;
    const { cause, serviceId, interruptInUse } = effect;
    server.pool.clear({ cause, serviceId, interruptInUse });
  };

  const requestChecks = (): void => {
    for (const { monitor } of [...watched.values()]) monitor?.requestCheck();
  };

  const report = (error: MongoError): void => {
    if (life === 'open') receive({ type: 'failed', error, generation: 0, at: clock.now() });
  };

  const seen = (): Seen => ({ topology: description, now: clock.now(), heartbeatFrequencyMS });

  const look = (request: Request<unknown>, at: Address | undefined): Found => {
    if (life === 'closed') return clientIsClosed();
    if (request.signal?.aborted === true) return selectionAborted(request);
    if (description.compatibilityError !== undefined) return incompatible(description);
    if (at !== undefined) return lookAt(request, at);
    const found = selector.select(request.operation.selection, request.avoid);
    return typeof found === 'string' ? invalidSelection(request, found) : found;
  };

  const lookAt = (request: Request<unknown>, at: Address): Found => {
    const server = description.servers.get(at);
    const pool = watched.get(at)?.pool;
    if (server === undefined || pool === undefined) return serverLeft(request, at, seen());
    return isAvailable(server) ? { description: server, pool } : undefined;
  };

  const queue = createSelectionQueue({
    clock,
    look,
    expired: (request, at, waited) => noServer(request, at, seen(), waited),
    aborted: selectionAborted,
    settled: (request, outcome) => {
      announce.settled(request, outcome);
    },
  });

  // Behind a load balancer there is nothing to find. Rule: Load Balancers, "DNS Seedlist Discovery".
  const poller =
    deps.lookUpSeeds === undefined || settings.loadBalanced
      ? undefined
      : createSrvPoller(
          {
            clock,
            random,
            lookUpSeeds: deps.lookUpSeeds,
            topologyType: () => description.type,
            found: hosts => {
              receive({ type: 'rescanned', hosts });
            },
          },
          settings,
        );

  const open = (): void => {
    if (life !== 'new') return;
    life = 'open';
    receive({ type: 'open' });
    if (life === 'open') poller?.start();
  };

  const close = async (): Promise<void> => {
    const before = life;
    life = 'closed';
    poller?.stop();
    queue.failAll(clientIsClosed);
    end.abort(undefined);
    if (before === 'open') receive({ type: 'close' });
    // A listener may have called this while another change was being made known: that one ends first.
    await Promise.resolve();
    await Promise.all(closing);
  };

  const interrupt = (): void => {
    queue.failAll(clientIsClosed);
    end.abort(undefined);
    for (const { pool } of [...watched.values()]) pool.interrupt?.(closedUnderWay());
  };

  /** When the selection that begins now must have ended. */
  const patience = (request: Request<unknown>): Millis =>
    Math.min(request.deadline, serverSelectionTimeoutMS === 0 ? Infinity : clock.now() + serverSelectionTimeoutMS);

  const waitFor = (request: Request<unknown>, at: Address | undefined): Promise<Server> => {
    const deadline = patience(request);
    announce.waiting(request, deadline - clock.now());
    const server = queue.wait(request, at, deadline);
    requestChecks();
    return request.deadline === Infinity ? server : server.then(found => timely(found, deadline));
  };

  return {
    get description() {
      return description;
    },
    open,
    select(request, at) {
      open();
      announce.started(request);
      const found = look(request, at);
      if (found === undefined) return waitFor(request, at);
      if (MongoError.is(found)) {
        announce.failed(request, found);
        return Promise.reject(found);
      }
      announce.succeeded(request, found.description.address);
      return request.deadline === Infinity ? found : timely(found, patience(request));
    },
    report,
    close: () => (closed ??= close()),
    interrupt,
    closing: end,
  };
};

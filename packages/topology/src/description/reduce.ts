import type { Address, ServerDescription, TopologyDescription, TopologyType } from '@tessera/contracts';
import { connectionFailed, operationFailed } from './application-error.js';
import { TopologyBuilder } from './topology-builder.js';
import { compareTopologyVersions, isDataBearing, loadBalancer, unknownServer } from './server-description.js';
import type { Reduce, Reduction, TopologyEffect, TopologyInput, TopologySettings } from './reduction.js';
import { emptyTopology, initialTopology, isRescanned } from './topology-description.js';
import { update } from './update.js';

/**
 * Returns the next description of a deployment, and the effects that the caller must apply in order. A pure function.
 * Rule: Server Discovery and Monitoring, "Updating the TopologyDescription" and "Error handling".
 */
export const reduce: Reduce = (description, input, settings) => {
  switch (input.type) {
    case 'open':
      return opened(settings);
    case 'checked':
      return checked(description, input.server, settings);
    case 'checkFailed':
      return checkFailed(description, input, settings);
    case 'failed':
      return failed(description, input, settings);
    case 'rescanned':
      return rescanned(description, input.hosts, settings);
    case 'close':
      return closed(description, settings);
  }
};

const initialType = (settings: TopologySettings): TopologyType => {
  if (settings.loadBalanced) return 'LoadBalanced';
  if (settings.directConnection) return 'Single';
  return settings.replicaSet === undefined ? 'Unknown' : 'ReplicaSetNoPrimary';
};

const opened = (settings: TopologySettings): Reduction => {
  const { topologyId, seeds, replicaSet } = settings;
  const description = initialTopology(initialType(settings), replicaSet, seeds);
  const effects: TopologyEffect[] = [
    { type: 'event', event: { name: 'topologyOpening', topologyId } },
    {
      type: 'event',
      event: {
        name: 'topologyDescriptionChanged',
        topologyId,
        previousDescription: emptyTopology,
        newDescription: description,
      },
    },
  ];
  for (const address of description.servers.keys()) {
    effects.push({ type: 'event', event: { name: 'serverOpening', topologyId, address } });
    effects.push({ type: 'openServer', address });
  }
  if (description.type !== 'LoadBalanced') return { description, effects };

  // Rule: Load Balancers, "Monitoring": a load balancer is not monitored, so its description is complete at once.
  const builder = new TopologyBuilder(description, settings);
  for (const address of description.servers.keys()) builder.replace(loadBalancer(address));
  const { description: balanced, effects: rest } = builder.finish();
  const ready = [...balanced.servers.keys()].map(address => ({ type: 'readyPool', address }) as const);
  return { description: balanced, effects: [...effects, ...ready, ...rest] };
};

const unchanged = (description: TopologyDescription): Reduction => ({ description, effects: [] });

const checked = (
  description: TopologyDescription,
  server: ServerDescription,
  settings: TopologySettings,
): Reduction => {
  const current = description.servers.get(server.address);
  // The server may have been removed, or have sent a newer topologyVersion, while the check was in progress.
  if (current === undefined || compareTopologyVersions(current.topologyVersion, server.topologyVersion) > 0)
    return unchanged(description);

  const builder = new TopologyBuilder(description, settings);
  update(builder, server);
  const now = builder.servers.get(server.address);
  const usable = now !== undefined && (isDataBearing(now) || (now.type !== 'Unknown' && builder.type === 'Single'));
  const { description: next, effects } = builder.finish();
  return {
    description: next,
    // The pool becomes ready before the new description is published, so that no operation selects a server with a
    // paused pool.
    effects: usable ? [{ type: 'readyPool', address: server.address }, ...effects] : effects,
  };
};

/** Rule: Server Monitoring, "Network or command error during server check". */
const checkFailed = (
  description: TopologyDescription,
  input: Extract<TopologyInput, { type: 'checkFailed' }>,
  settings: TopologySettings,
): Reduction => {
  const { address, error, at } = input;
  const previous = description.servers.get(address);
  if (previous === undefined) return unchanged(description);
  const builder = new TopologyBuilder(description, settings);
  update(builder, unknownServer(address, { error, lastUpdateTime: at }));
  const { description: next, effects } = builder.finish();
  const ofNetwork = error.kind === 'network' || error.kind === 'timeout';
  const interruptInUse = error.kind === 'timeout';
  return {
    description: next,
    effects: [
      ...effects,
      { type: 'clearPool', address, cause: error, serviceId: undefined, interruptInUse },
      ...(ofNetwork && previous.type !== 'Unknown' ? [{ type: 'checkNow', address, rest: 'none' } as const] : []),
    ],
  };
};

/** Rule: Server Discovery and Monitoring, "Application errors". */
const failed = (
  description: TopologyDescription,
  input: Extract<TopologyInput, { type: 'failed' }>,
  settings: TopologySettings,
): Reduction => {
  const { error, generation, at } = input;
  const address = error.origin?.address;
  const server = address === undefined ? undefined : description.servers.get(address);
  if (server === undefined) return unchanged(description);
  if (description.type === 'LoadBalanced') return { description, effects: connectionFailed(server.address, error) };

  const consequence = operationFailed(server, error, generation);
  if (consequence === undefined) return unchanged(description);
  const builder = new TopologyBuilder(description, settings);
  update(
    builder,
    unknownServer(server.address, { error, lastUpdateTime: at, topologyVersion: consequence.topologyVersion }),
  );
  const { description: next, effects } = builder.finish();
  return { description: next, effects: [...effects, ...consequence.effects] };
};

/** Rule: Polling SRV Records for mongos Discovery, "Implementation". */
const rescanned = (
  description: TopologyDescription,
  hosts: readonly Address[],
  settings: TopologySettings,
): Reduction => {
  if (!isRescanned(description.type) || hosts.length === 0) return unchanged(description);
  const builder = new TopologyBuilder(description, settings);
  for (const address of description.servers.keys()) if (!hosts.includes(address)) builder.remove(address);
  const most = settings.srvMaxHosts === 0 ? Infinity : settings.srvMaxHosts;
  for (const address of hosts) if (builder.servers.size < most) builder.add(address);
  return builder.finish();
};

/** Rule: SDAM Logging and Monitoring, "Closing Topology Description". */
const closed = (description: TopologyDescription, settings: TopologySettings): Reduction => {
  const { topologyId } = settings;
  const effects: TopologyEffect[] = [];
  for (const address of description.servers.keys()) {
    effects.push({ type: 'closeServer', address });
    effects.push({ type: 'event', event: { name: 'serverClosed', topologyId, address } });
  }
  effects.push({
    type: 'event',
    event: {
      name: 'topologyDescriptionChanged',
      topologyId,
      previousDescription: description,
      newDescription: emptyTopology,
    },
  });
  effects.push({ type: 'event', event: { name: 'topologyClosed', topologyId } });
  return { description: emptyTopology, effects };
};

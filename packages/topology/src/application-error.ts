import type { Address, MongoError, ServerDescription, TopologyVersion } from '@tessera/contracts';
import type { TopologyEffect } from './reduction.js';
import { isShutdown, isStateChange } from './state-change.js';
import { compareTopologyVersions, topologyVersionOf } from './topology-version.js';

/** The server becomes Unknown, with this version, and this is done. */
export interface Consequence {
  readonly topologyVersion: TopologyVersion | undefined;
  readonly effects: readonly TopologyEffect[];
}

/**
 * What an application's error says of a server; undefined: nothing.
 * Rule: Server Discovery and Monitoring, "Error handling pseudocode".
 */
export const operationFailed = (
  server: ServerDescription,
  error: MongoError,
  generation: number,
): Consequence | undefined => {
  const { address } = server;
  // The pool was cleared since the connection was begun: whatever this says was known by then.
  if (error.origin?.generation !== undefined && error.origin.generation < generation) return undefined;

  if (isStateChange(error)) {
    const topologyVersion = topologyVersionOf(error.reply);
    if (compareTopologyVersions(server.topologyVersion, topologyVersion) >= 0) return undefined;
    const clear: readonly TopologyEffect[] = isShutdown(error)
      ? [{ type: 'clearPool', address, cause: error, serviceId: undefined, interruptInUse: false }]
      : [];
    return { topologyVersion, effects: [...clear, { type: 'checkNow', address, rest: 'minimum' }] };
  }
  if (!saysServerIsGone(error)) return undefined;
  return {
    topologyVersion: undefined,
    effects: [
      { type: 'clearPool', address, cause: error, serviceId: undefined, interruptInUse: false },
      { type: 'cancelCheck', address },
    ],
  };
};

/** The same behind a load balancer, which never becomes Unknown. Rule: Load Balancers, "Error Handling". */
export const connectionFailed = (address: Address, error: MongoError): readonly TopologyEffect[] => {
  const serviceId = error.origin?.serviceId;
  // Before the hello is done nobody knows which service it was.
  if (serviceId === undefined) return [];
  if (!isShutdown(error) && !saysServerIsGone(error)) return [];
  return [{ type: 'clearPool', address, cause: error, serviceId, interruptInUse: false }];
};

const saysServerIsGone = (error: MongoError): boolean => {
  switch (error.origin?.phase) {
    case 'command':
      // A timeout may only mean a slow operation.
      return error.kind === 'network';
    case 'resolve':
    case 'proxy':
    case 'connect':
    case 'tls':
    case 'hello':
    case 'auth':
      return isHandshakeFailure(error);
    case 'select':
    case 'checkOut':
    case 'backoff':
    case undefined:
      return false;
  }
};

const isHandshakeFailure = (error: MongoError): boolean => {
  // The pool labels what may only mean that the server is busy. Rule: CMAP, "Backpressure-enabled".
  if (error.labels.includes('SystemOverloadedError')) return false;
  switch (error.kind) {
    case 'network':
    case 'timeout':
    case 'server':
    case 'protocol':
    case 'auth':
      return true;
    case 'pool':
    case 'selection':
    case 'usage':
    case 'closed':
    case 'aborted':
      return false;
  }
};

import type { Address, MongoError, ServerDescription, TopologyVersion } from '@tessera/contracts';
import type { TopologyEffect } from './reduction.js';
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

const notWritablePrimary: ReadonlySet<number> = new Set([10107, 13435, 10058]);
const shuttingDown: ReadonlySet<number> = new Set([11600, 91]);
const recovering: ReadonlySet<number> = new Set([11602, 13436, 189, ...shuttingDown]);
/** What an error without a code says; the second is how the test plan words the first. */
const words = ['not master', 'not writable primary', 'node is recovering'] as const;

/**
 * Whether the server says that it is not what it was taken for. The text decides only where there is no code.
 * Rule: Server Discovery and Monitoring, "'not writable primary' and 'node is recovering'".
 */
export const isStateChange = (error: MongoError): boolean => {
  if (error.kind !== 'server') return false;
  if (error.code !== undefined && error.code !== 0)
    return notWritablePrimary.has(error.code) || recovering.has(error.code);
  return words.some(word => error.message.includes(word));
};

/** Rule: the same section, "node is shutting down". */
export const isShutdown = (error: MongoError): boolean =>
  error.kind === 'server' && error.code !== undefined && shuttingDown.has(error.code);

import { failedWhileConnecting, isOverload } from '@tessera/contracts';
import type { Address, MongoError, ObjectId, ServerDescription, TopologyVersion } from '@tessera/contracts';
import type { TopologyEffect } from './reduction.js';
import { compareTopologyVersions, topologyVersionOf } from './server-description.js';

/** The server becomes Unknown with this topology version, and then these effects are applied. */
export interface Consequence {
  readonly topologyVersion: TopologyVersion | undefined;
  readonly effects: readonly TopologyEffect[];
}

/**
 * Returns the consequence of an error of an operation or a handshake. Returns undefined if the server's state does not
 * change.
 * Rule: Server Discovery and Monitoring, "Error handling pseudocode".
 */
export const operationFailed = (
  server: ServerDescription,
  error: MongoError,
  generation: number,
): Consequence | undefined => {
  const { address } = server;
  // A stale error: the pool was cleared after this connection was created.
  if (error.origin?.generation !== undefined && error.origin.generation < generation) return undefined;

  if (isStateChange(error)) {
    const topologyVersion = topologyVersionOf(error.reply);
    if (compareTopologyVersions(server.topologyVersion, topologyVersion) >= 0) return undefined;
    const clear = isShutdown(error) ? [clearPool(address, error)] : [];
    // Without a topologyVersion, the server may not have changed. It would then delay its reply to an awaitable hello.
    const check: TopologyEffect =
      topologyVersion === undefined ? { type: 'recheck', address } : { type: 'checkNow', address, rest: 'minimum' };
    return { topologyVersion, effects: [...clear, check] };
  }
  if (!indicatesServerGone(error)) return undefined;
  return { topologyVersion: undefined, effects: [clearPool(address, error), { type: 'cancelCheck', address }] };
};

/**
 * Returns the effects of an error behind a load balancer, which never becomes Unknown. Rule: Load Balancers, "Error
 * Handling".
 */
export const connectionFailed = (address: Address, error: MongoError): readonly TopologyEffect[] => {
  const serviceId = error.origin?.serviceId;
  // The service is unknown until the hello reply has arrived.
  if (serviceId === undefined) return [];
  if (!isShutdown(error) && !indicatesServerGone(error)) return [];
  return [clearPool(address, error, serviceId)];
};

const clearPool = (address: Address, cause: MongoError, serviceId?: ObjectId): TopologyEffect => ({
  type: 'clearPool',
  address,
  cause,
  serviceId,
  interruptInUse: false,
});

const indicatesServerGone = (error: MongoError): boolean => {
  // A timeout of a command may only mean a slow operation.
  if (error.origin?.phase === 'command') return error.kind === 'network';
  return failedWhileConnecting(error) && isHandshakeFailure(error);
};

const isHandshakeFailure = (error: MongoError): boolean => {
  // The pool adds this label to errors that may only mean an overloaded server. Rule: CMAP, "Backpressure-enabled".
  if (isOverload(error)) return false;
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

const notWritablePrimary: ReadonlySet<unknown> = new Set([10107, 13435, 10058]);
const shuttingDown: ReadonlySet<unknown> = new Set([11600, 91]);
const recovering: ReadonlySet<unknown> = new Set([11602, 13436, 189, ...shuttingDown]);
/** Messages of errors without a code. The first and second are older and newer names for the same state. */
const words = ['not master', 'not writable primary', 'node is recovering'] as const;

/**
 * Returns whether the error is a state change error. The message counts only if there is no code.
 * Rule: Server Discovery and Monitoring, "'not writable primary' and 'node is recovering'".
 */
export const isStateChange = (error: MongoError): boolean => {
  if (error.kind !== 'server') return false;
  if (error.code !== undefined && error.code !== 0)
    return notWritablePrimary.has(error.code) || recovering.has(error.code);
  return words.some(word => error.message.includes(word));
};

/** Rule: the same section, "node is shutting down". */
export const isShutdown = (error: MongoError): boolean => error.kind === 'server' && shuttingDown.has(error.code);

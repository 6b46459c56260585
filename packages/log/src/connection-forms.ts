import type { Address, Document, EventMap, EventName } from '@tessera/contracts';
import { endpointOf } from './endpoint.js';
import { failureText } from './failure.js';
import type { Forms } from './form.js';

type OfConnections = Extract<EventName, `connection${string}`>;

const all = {
  component: 'connection',
  severity: 'debug',
  common: ({ address }: { readonly address: Address }): Document => ({ ...endpointOf(address) }),
} as const;

const closed: Readonly<Record<EventMap['connectionClosed']['reason'], string>> = {
  stale: 'Connection became stale because the pool was cleared',
  idle: 'Connection has been available but unused for longer than the configured max idle time',
  error: 'An error occurred while using the connection',
  poolClosed: 'Connection pool was closed',
};

const failed: Readonly<Record<EventMap['connectionCheckOutFailed']['reason'], string>> = {
  timeout: 'Wait queue timeout elapsed without a connection becoming available',
  connectionError: 'An error occurred while trying to establish a new connection',
  poolClosed: 'Connection pool was closed',
};

const poolOptions = ['maxIdleTimeMS', 'minPoolSize', 'maxPoolSize', 'maxConnecting', 'waitQueueTimeoutMS'];

const at = '{serverHost}[:{serverPort}]';

/** The log messages of pools and connections. Rule: Connection Monitoring and Pooling, "Connection Pool Logging". */
export const connectionForms: Forms<OfConnections> = {
  connectionPoolCreated: {
    ...all,
    message: 'Connection pool created',
    text:
      `Connection pool created for ${at} using options[ maxIdleTimeMS={maxIdleTimeMS},][ minPoolSize={minPoolSize},]` +
      '[ maxPoolSize={maxPoolSize},][ maxConnecting={maxConnecting},][ waitQueueTimeoutMS={waitQueueTimeoutMS},]',
    own: ({ options }) => Object.fromEntries(poolOptions.map(name => [name, options[name] as unknown])),
  },
  connectionPoolReady: { ...all, message: 'Connection pool ready', text: `Connection pool ready for ${at}` },
  connectionPoolCleared: {
    ...all,
    message: 'Connection pool cleared',
    text: `Connection pool for ${at} cleared[ for serviceId {serviceId}]`,
    own: ({ serviceId }) => ({ serviceId: serviceId?.toHexString() }),
  },
  connectionPoolClosed: { ...all, message: 'Connection pool closed', text: `Connection pool closed for ${at}` },
  connectionCreated: {
    ...all,
    message: 'Connection created',
    text: `Connection created: address=${at}, driver-generated ID={driverConnectionId}`,
    own: ({ connectionId }) => ({ driverConnectionId: connectionId }),
  },
  connectionReady: {
    ...all,
    message: 'Connection ready',
    text: `Connection ready: address=${at}, driver-generated ID={driverConnectionId}, established in={durationMS} ms`,
    own: ({ connectionId, durationMS }) => ({ driverConnectionId: connectionId, durationMS }),
  },
  connectionClosed: {
    ...all,
    message: 'Connection closed',
    text: `Connection closed: address=${at}, driver-generated ID={driverConnectionId}. Reason: {reason}.[ Error: {error}]`,
    own: ({ connectionId, reason, error }, write) => ({
      driverConnectionId: connectionId,
      reason: closed[reason],
      error: reason === 'error' && error !== undefined ? failureText(error, write) : undefined,
    }),
  },
  connectionCheckOutStarted: {
    ...all,
    message: 'Connection checkout started',
    text: `Checkout started for connection to ${at}`,
  },
  connectionCheckOutFailed: {
    ...all,
    message: 'Connection checkout failed',
    text: `Checkout failed for connection to ${at}. Reason: {reason}.[ Error: {error}.] Duration: {durationMS} ms`,
    own: ({ reason, error, durationMS }, write) => ({
      reason: failed[reason],
      error: reason === 'connectionError' && error !== undefined ? failureText(error, write) : undefined,
      durationMS,
    }),
  },
  connectionCheckedOut: {
    ...all,
    message: 'Connection checked out',
    text: `Connection checked out: address=${at}, driver-generated ID={driverConnectionId}, duration={durationMS} ms`,
    own: ({ connectionId, durationMS }) => ({ driverConnectionId: connectionId, durationMS }),
  },
  connectionCheckedIn: {
    ...all,
    message: 'Connection checked in',
    text: `Connection checked in: address=${at}, driver-generated ID={driverConnectionId}`,
    own: ({ connectionId }) => ({ driverConnectionId: connectionId }),
  },
};

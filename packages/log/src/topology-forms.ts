import type { Address, Document, EventMap, EventName } from '@tessera/contracts';
import { descriptionOf } from './description.js';
import { endpointOf, serverConnectionIdOf } from './endpoint.js';
import { failureText } from './failure.js';
import type { Forms } from './form.js';

/** The events of the topology. Changes of a server's description are logged with those of the topology. */
type OfTopology = Exclude<Extract<EventName, `topology${string}` | `server${string}`>, OfOthers>;
type OfOthers = 'serverDescriptionChanged' | Extract<EventName, `serverSelection${string}`>;

const debug = { component: 'topology', severity: 'debug' } as const;
const ofTopology = { ...debug, common: ({ topologyId }: { readonly topologyId: number }) => ({ topologyId }) };
const ofServer = {
  ...debug,
  common: ({ topologyId, address }: { readonly topologyId: number; readonly address: Address }): Document => ({
    topologyId,
    ...endpointOf(address),
  }),
};
const ofHeartbeat = {
  ...debug,
  common: (event: EventMap['serverHeartbeatStarted']): Document => ({
    topologyId: event.topologyId,
    ...endpointOf(event.address),
    driverConnectionId: event.driverConnectionId,
    serverConnectionId: serverConnectionIdOf(event.serverConnectionId),
  }),
};

const at = '{serverHost}[:{serverPort}]';
const where =
  `${at} on connection with driver-generated ID {driverConnectionId}[ and server-generated ID {serverConnectionId}]` +
  ' in topology with ID {topologyId}. Awaited: {awaited}';

/** The log messages of topologies, servers and heartbeats. Rule: SDAM Logging and Monitoring, "Log Messages". */
export const topologyForms: Forms<OfTopology> = {
  topologyOpening: {
    ...ofTopology,
    message: 'Starting topology monitoring',
    text: 'Starting monitoring for topology with ID {topologyId}',
  },
  topologyClosed: {
    ...ofTopology,
    message: 'Stopped topology monitoring',
    text: 'Stopped monitoring for topology with ID {topologyId}',
  },
  serverOpening: {
    ...ofServer,
    message: 'Starting server monitoring',
    text: `Starting monitoring for server ${at} in topology with ID {topologyId}`,
  },
  serverClosed: {
    ...ofServer,
    message: 'Stopped server monitoring',
    text: `Stopped monitoring for server ${at} in topology with ID {topologyId}`,
  },
  topologyDescriptionChanged: {
    ...ofTopology,
    message: 'Topology description changed',
    text:
      'Description changed for topology with ID {topologyId}. Previous description: {previousDescription}.' +
      ' New description: {newDescription}',
    own: ({ previousDescription, newDescription }, write) => ({
      previousDescription: write(descriptionOf(previousDescription)),
      newDescription: write(descriptionOf(newDescription)),
    }),
  },
  serverHeartbeatStarted: {
    ...ofHeartbeat,
    message: 'Server heartbeat started',
    text: `Heartbeat started for ${where}`,
    own: ({ awaited }) => ({ awaited }),
  },
  serverHeartbeatSucceeded: {
    ...ofHeartbeat,
    message: 'Server heartbeat succeeded',
    text: `Heartbeat succeeded in {durationMS} ms for ${where}. Reply: {reply}`,
    own: ({ awaited, duration, reply }, write) => ({ awaited, durationMS: duration, reply: write(reply) }),
  },
  serverHeartbeatFailed: {
    ...ofHeartbeat,
    message: 'Server heartbeat failed',
    text: `Heartbeat failed in {durationMS} ms for ${where}. Failure: {failure}`,
    own: ({ awaited, duration, failure }, write) => ({
      awaited,
      durationMS: duration,
      failure: failureText(failure, write),
    }),
  },
};

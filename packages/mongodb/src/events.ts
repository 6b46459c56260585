// Events under the names of the official driver's event classes, for programs that test them with `instanceof`. The
// events themselves are plain objects.
import type { EventMap, EventName } from '@tessera/contracts';
import type { InstanceCheck } from './instance-check.js';

type EventOf<Name extends EventName> = { readonly name: Name } & EventMap[Name];

const eventClass = <Name extends EventName>(name: Name): InstanceCheck<EventOf<Name>> => ({
  [Symbol.hasInstance]: (value): value is EventOf<Name> =>
    (value as { readonly name?: unknown } | null | undefined)?.name === name,
});

/** The driver is about to send a command to a server. */
export type CommandStartedEvent = EventOf<'commandStarted'>;
/** Tests with `instanceof` whether a value is an event `commandStarted`. */
export const CommandStartedEvent: InstanceCheck<CommandStartedEvent> = eventClass('commandStarted');
/** A server replied to a command with `ok: 1`. `duration` is in milliseconds. */
export type CommandSucceededEvent = EventOf<'commandSucceeded'>;
/** Tests with `instanceof` whether a value is an event `commandSucceeded`. */
export const CommandSucceededEvent: InstanceCheck<CommandSucceededEvent> = eventClass('commandSucceeded');
/** A command failed, by an error reply or without a reply. `duration` is in milliseconds. */
export type CommandFailedEvent = EventOf<'commandFailed'>;
/** Tests with `instanceof` whether a value is an event `commandFailed`. */
export const CommandFailedEvent: InstanceCheck<CommandFailedEvent> = eventClass('commandFailed');
/** The driver created the connection pool of a server. */
export type ConnectionPoolCreatedEvent = EventOf<'connectionPoolCreated'>;
/** Tests with `instanceof` whether a value is an event `connectionPoolCreated`. */
export const ConnectionPoolCreatedEvent: InstanceCheck<ConnectionPoolCreatedEvent> =
  eventClass('connectionPoolCreated');
/** A connection pool may open connections, because its server replied. */
export type ConnectionPoolReadyEvent = EventOf<'connectionPoolReady'>;
/** Tests with `instanceof` whether a value is an event `connectionPoolReady`. */
export const ConnectionPoolReadyEvent: InstanceCheck<ConnectionPoolReadyEvent> = eventClass('connectionPoolReady');
/** A connection pool discarded its connections after an error of its server. */
export type ConnectionPoolClearedEvent = EventOf<'connectionPoolCleared'>;
/** Tests with `instanceof` whether a value is an event `connectionPoolCleared`. */
export const ConnectionPoolClearedEvent: InstanceCheck<ConnectionPoolClearedEvent> =
  eventClass('connectionPoolCleared');
/** A connection pool was closed, with its client or because its server left the deployment. */
export type ConnectionPoolClosedEvent = EventOf<'connectionPoolClosed'>;
/** Tests with `instanceof` whether a value is an event `connectionPoolClosed`. */
export const ConnectionPoolClosedEvent: InstanceCheck<ConnectionPoolClosedEvent> = eventClass('connectionPoolClosed');
/** A pool is about to open a connection. */
export type ConnectionCreatedEvent = EventOf<'connectionCreated'>;
/** Tests with `instanceof` whether a value is an event `connectionCreated`. */
export const ConnectionCreatedEvent: InstanceCheck<ConnectionCreatedEvent> = eventClass('connectionCreated');
/** A connection is ready for commands. `durationMS` is the time in milliseconds to open it. */
export type ConnectionReadyEvent = EventOf<'connectionReady'>;
/** Tests with `instanceof` whether a value is an event `connectionReady`. */
export const ConnectionReadyEvent: InstanceCheck<ConnectionReadyEvent> = eventClass('connectionReady');
/** A connection was closed, for the given reason. */
export type ConnectionClosedEvent = EventOf<'connectionClosed'>;
/** Tests with `instanceof` whether a value is an event `connectionClosed`. */
export const ConnectionClosedEvent: InstanceCheck<ConnectionClosedEvent> = eventClass('connectionClosed');
/** An operation requested a connection of a pool. */
export type ConnectionCheckOutStartedEvent = EventOf<'connectionCheckOutStarted'>;
/** Tests with `instanceof` whether a value is an event `connectionCheckOutStarted`. */
export const ConnectionCheckOutStartedEvent: InstanceCheck<ConnectionCheckOutStartedEvent> =
  eventClass('connectionCheckOutStarted');
/** An operation got no connection of a pool, for the given reason. */
export type ConnectionCheckOutFailedEvent = EventOf<'connectionCheckOutFailed'>;
/** Tests with `instanceof` whether a value is an event `connectionCheckOutFailed`. */
export const ConnectionCheckOutFailedEvent: InstanceCheck<ConnectionCheckOutFailedEvent> =
  eventClass('connectionCheckOutFailed');
/** An operation got a connection of a pool. `durationMS` is the time in milliseconds that it waited. */
export type ConnectionCheckedOutEvent = EventOf<'connectionCheckedOut'>;
/** Tests with `instanceof` whether a value is an event `connectionCheckedOut`. */
export const ConnectionCheckedOutEvent: InstanceCheck<ConnectionCheckedOutEvent> = eventClass('connectionCheckedOut');
/** An operation returned its connection to the pool. */
export type ConnectionCheckedInEvent = EventOf<'connectionCheckedIn'>;
/** Tests with `instanceof` whether a value is an event `connectionCheckedIn`. */
export const ConnectionCheckedInEvent: InstanceCheck<ConnectionCheckedInEvent> = eventClass('connectionCheckedIn');
/** The driver begins to monitor a server. */
export type ServerOpeningEvent = EventOf<'serverOpening'>;
/** Tests with `instanceof` whether a value is an event `serverOpening`. */
export const ServerOpeningEvent: InstanceCheck<ServerOpeningEvent> = eventClass('serverOpening');
/** The driver no longer monitors a server. */
export type ServerClosedEvent = EventOf<'serverClosed'>;
/** Tests with `instanceof` whether a value is an event `serverClosed`. */
export const ServerClosedEvent: InstanceCheck<ServerClosedEvent> = eventClass('serverClosed');
/** The state of a server has changed. */
export type ServerDescriptionChangedEvent = EventOf<'serverDescriptionChanged'>;
/** Tests with `instanceof` whether a value is an event `serverDescriptionChanged`. */
export const ServerDescriptionChangedEvent: InstanceCheck<ServerDescriptionChangedEvent> =
  eventClass('serverDescriptionChanged');
/** The driver checks the state of a server. */
export type ServerHeartbeatStartedEvent = EventOf<'serverHeartbeatStarted'>;
/** Tests with `instanceof` whether a value is an event `serverHeartbeatStarted`. */
export const ServerHeartbeatStartedEvent: InstanceCheck<ServerHeartbeatStartedEvent> =
  eventClass('serverHeartbeatStarted');
/** A server replied to a check of its state. `duration` is in milliseconds. */
export type ServerHeartbeatSucceededEvent = EventOf<'serverHeartbeatSucceeded'>;
/** Tests with `instanceof` whether a value is an event `serverHeartbeatSucceeded`. */
export const ServerHeartbeatSucceededEvent: InstanceCheck<ServerHeartbeatSucceededEvent> =
  eventClass('serverHeartbeatSucceeded');
/** A check of a server failed. `duration` is in milliseconds. */
export type ServerHeartbeatFailedEvent = EventOf<'serverHeartbeatFailed'>;
/** Tests with `instanceof` whether a value is an event `serverHeartbeatFailed`. */
export const ServerHeartbeatFailedEvent: InstanceCheck<ServerHeartbeatFailedEvent> =
  eventClass('serverHeartbeatFailed');
/** The driver begins to monitor the deployment. */
export type TopologyOpeningEvent = EventOf<'topologyOpening'>;
/** Tests with `instanceof` whether a value is an event `topologyOpening`. */
export const TopologyOpeningEvent: InstanceCheck<TopologyOpeningEvent> = eventClass('topologyOpening');
/** The driver no longer monitors the deployment. */
export type TopologyClosedEvent = EventOf<'topologyClosed'>;
/** Tests with `instanceof` whether a value is an event `topologyClosed`. */
export const TopologyClosedEvent: InstanceCheck<TopologyClosedEvent> = eventClass('topologyClosed');
/** The state of the deployment has changed. */
export type TopologyDescriptionChangedEvent = EventOf<'topologyDescriptionChanged'>;
/** Tests with `instanceof` whether a value is an event `topologyDescriptionChanged`. */
export const TopologyDescriptionChangedEvent: InstanceCheck<TopologyDescriptionChangedEvent> =
  eventClass('topologyDescriptionChanged');

// Events under the names of the official driver's event classes, for programs that test them with `instanceof`. The
// events themselves are plain objects.
import type { EventMap, EventName } from '@tessera/contracts';
import type { InstanceCheck } from './instance-check.js';

type EventOf<Name extends EventName> = { readonly name: Name } & EventMap[Name];

const eventClass = <Name extends EventName>(name: Name): InstanceCheck<EventOf<Name>> => ({
  [Symbol.hasInstance]: (value): value is EventOf<Name> =>
    (value as { readonly name?: unknown } | null | undefined)?.name === name,
});

export type CommandStartedEvent = EventOf<'commandStarted'>;
export const CommandStartedEvent: InstanceCheck<CommandStartedEvent> = eventClass('commandStarted');
export type CommandSucceededEvent = EventOf<'commandSucceeded'>;
export const CommandSucceededEvent: InstanceCheck<CommandSucceededEvent> = eventClass('commandSucceeded');
export type CommandFailedEvent = EventOf<'commandFailed'>;
export const CommandFailedEvent: InstanceCheck<CommandFailedEvent> = eventClass('commandFailed');
export type ConnectionPoolCreatedEvent = EventOf<'connectionPoolCreated'>;
export const ConnectionPoolCreatedEvent: InstanceCheck<ConnectionPoolCreatedEvent> =
  eventClass('connectionPoolCreated');
export type ConnectionPoolReadyEvent = EventOf<'connectionPoolReady'>;
export const ConnectionPoolReadyEvent: InstanceCheck<ConnectionPoolReadyEvent> = eventClass('connectionPoolReady');
export type ConnectionPoolClearedEvent = EventOf<'connectionPoolCleared'>;
export const ConnectionPoolClearedEvent: InstanceCheck<ConnectionPoolClearedEvent> =
  eventClass('connectionPoolCleared');
export type ConnectionPoolClosedEvent = EventOf<'connectionPoolClosed'>;
export const ConnectionPoolClosedEvent: InstanceCheck<ConnectionPoolClosedEvent> = eventClass('connectionPoolClosed');
export type ConnectionCreatedEvent = EventOf<'connectionCreated'>;
export const ConnectionCreatedEvent: InstanceCheck<ConnectionCreatedEvent> = eventClass('connectionCreated');
export type ConnectionReadyEvent = EventOf<'connectionReady'>;
export const ConnectionReadyEvent: InstanceCheck<ConnectionReadyEvent> = eventClass('connectionReady');
export type ConnectionClosedEvent = EventOf<'connectionClosed'>;
export const ConnectionClosedEvent: InstanceCheck<ConnectionClosedEvent> = eventClass('connectionClosed');
export type ConnectionCheckOutStartedEvent = EventOf<'connectionCheckOutStarted'>;
export const ConnectionCheckOutStartedEvent: InstanceCheck<ConnectionCheckOutStartedEvent> =
  eventClass('connectionCheckOutStarted');
export type ConnectionCheckOutFailedEvent = EventOf<'connectionCheckOutFailed'>;
export const ConnectionCheckOutFailedEvent: InstanceCheck<ConnectionCheckOutFailedEvent> =
  eventClass('connectionCheckOutFailed');
export type ConnectionCheckedOutEvent = EventOf<'connectionCheckedOut'>;
export const ConnectionCheckedOutEvent: InstanceCheck<ConnectionCheckedOutEvent> = eventClass('connectionCheckedOut');
export type ConnectionCheckedInEvent = EventOf<'connectionCheckedIn'>;
export const ConnectionCheckedInEvent: InstanceCheck<ConnectionCheckedInEvent> = eventClass('connectionCheckedIn');
export type ServerOpeningEvent = EventOf<'serverOpening'>;
export const ServerOpeningEvent: InstanceCheck<ServerOpeningEvent> = eventClass('serverOpening');
export type ServerClosedEvent = EventOf<'serverClosed'>;
export const ServerClosedEvent: InstanceCheck<ServerClosedEvent> = eventClass('serverClosed');
export type ServerDescriptionChangedEvent = EventOf<'serverDescriptionChanged'>;
export const ServerDescriptionChangedEvent: InstanceCheck<ServerDescriptionChangedEvent> =
  eventClass('serverDescriptionChanged');
export type ServerHeartbeatStartedEvent = EventOf<'serverHeartbeatStarted'>;
export const ServerHeartbeatStartedEvent: InstanceCheck<ServerHeartbeatStartedEvent> =
  eventClass('serverHeartbeatStarted');
export type ServerHeartbeatSucceededEvent = EventOf<'serverHeartbeatSucceeded'>;
export const ServerHeartbeatSucceededEvent: InstanceCheck<ServerHeartbeatSucceededEvent> =
  eventClass('serverHeartbeatSucceeded');
export type ServerHeartbeatFailedEvent = EventOf<'serverHeartbeatFailed'>;
export const ServerHeartbeatFailedEvent: InstanceCheck<ServerHeartbeatFailedEvent> =
  eventClass('serverHeartbeatFailed');
export type TopologyOpeningEvent = EventOf<'topologyOpening'>;
export const TopologyOpeningEvent: InstanceCheck<TopologyOpeningEvent> = eventClass('topologyOpening');
export type TopologyClosedEvent = EventOf<'topologyClosed'>;
export const TopologyClosedEvent: InstanceCheck<TopologyClosedEvent> = eventClass('topologyClosed');
export type TopologyDescriptionChangedEvent = EventOf<'topologyDescriptionChanged'>;
export const TopologyDescriptionChangedEvent: InstanceCheck<TopologyDescriptionChangedEvent> =
  eventClass('topologyDescriptionChanged');

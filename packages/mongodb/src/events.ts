// Events under the names of the official driver's classes, for programs that ask what they were told. They are plain values.
import type { EventMap, EventName } from '@tessera/contracts';
import type { AskedBy } from './asked-by.js';

type EventOf<Name extends EventName> = { readonly name: Name } & EventMap[Name];

const eventClass = <Name extends EventName>(name: Name): AskedBy<EventOf<Name>> => ({
  [Symbol.hasInstance]: (value): value is EventOf<Name> =>
    (value as { readonly name?: unknown } | null | undefined)?.name === name,
});

export type CommandStartedEvent = EventOf<'commandStarted'>;
export const CommandStartedEvent: AskedBy<CommandStartedEvent> = eventClass('commandStarted');
export type CommandSucceededEvent = EventOf<'commandSucceeded'>;
export const CommandSucceededEvent: AskedBy<CommandSucceededEvent> = eventClass('commandSucceeded');
export type CommandFailedEvent = EventOf<'commandFailed'>;
export const CommandFailedEvent: AskedBy<CommandFailedEvent> = eventClass('commandFailed');
export type ConnectionPoolCreatedEvent = EventOf<'connectionPoolCreated'>;
export const ConnectionPoolCreatedEvent: AskedBy<ConnectionPoolCreatedEvent> = eventClass('connectionPoolCreated');
export type ConnectionPoolReadyEvent = EventOf<'connectionPoolReady'>;
export const ConnectionPoolReadyEvent: AskedBy<ConnectionPoolReadyEvent> = eventClass('connectionPoolReady');
export type ConnectionPoolClearedEvent = EventOf<'connectionPoolCleared'>;
export const ConnectionPoolClearedEvent: AskedBy<ConnectionPoolClearedEvent> = eventClass('connectionPoolCleared');
export type ConnectionPoolClosedEvent = EventOf<'connectionPoolClosed'>;
export const ConnectionPoolClosedEvent: AskedBy<ConnectionPoolClosedEvent> = eventClass('connectionPoolClosed');
export type ConnectionCreatedEvent = EventOf<'connectionCreated'>;
export const ConnectionCreatedEvent: AskedBy<ConnectionCreatedEvent> = eventClass('connectionCreated');
export type ConnectionReadyEvent = EventOf<'connectionReady'>;
export const ConnectionReadyEvent: AskedBy<ConnectionReadyEvent> = eventClass('connectionReady');
export type ConnectionClosedEvent = EventOf<'connectionClosed'>;
export const ConnectionClosedEvent: AskedBy<ConnectionClosedEvent> = eventClass('connectionClosed');
export type ConnectionCheckOutStartedEvent = EventOf<'connectionCheckOutStarted'>;
export const ConnectionCheckOutStartedEvent: AskedBy<ConnectionCheckOutStartedEvent> =
  eventClass('connectionCheckOutStarted');
export type ConnectionCheckOutFailedEvent = EventOf<'connectionCheckOutFailed'>;
export const ConnectionCheckOutFailedEvent: AskedBy<ConnectionCheckOutFailedEvent> =
  eventClass('connectionCheckOutFailed');
export type ConnectionCheckedOutEvent = EventOf<'connectionCheckedOut'>;
export const ConnectionCheckedOutEvent: AskedBy<ConnectionCheckedOutEvent> = eventClass('connectionCheckedOut');
export type ConnectionCheckedInEvent = EventOf<'connectionCheckedIn'>;
export const ConnectionCheckedInEvent: AskedBy<ConnectionCheckedInEvent> = eventClass('connectionCheckedIn');
export type ServerOpeningEvent = EventOf<'serverOpening'>;
export const ServerOpeningEvent: AskedBy<ServerOpeningEvent> = eventClass('serverOpening');
export type ServerClosedEvent = EventOf<'serverClosed'>;
export const ServerClosedEvent: AskedBy<ServerClosedEvent> = eventClass('serverClosed');
export type ServerDescriptionChangedEvent = EventOf<'serverDescriptionChanged'>;
export const ServerDescriptionChangedEvent: AskedBy<ServerDescriptionChangedEvent> =
  eventClass('serverDescriptionChanged');
export type ServerHeartbeatStartedEvent = EventOf<'serverHeartbeatStarted'>;
export const ServerHeartbeatStartedEvent: AskedBy<ServerHeartbeatStartedEvent> = eventClass('serverHeartbeatStarted');
export type ServerHeartbeatSucceededEvent = EventOf<'serverHeartbeatSucceeded'>;
export const ServerHeartbeatSucceededEvent: AskedBy<ServerHeartbeatSucceededEvent> =
  eventClass('serverHeartbeatSucceeded');
export type ServerHeartbeatFailedEvent = EventOf<'serverHeartbeatFailed'>;
export const ServerHeartbeatFailedEvent: AskedBy<ServerHeartbeatFailedEvent> = eventClass('serverHeartbeatFailed');
export type TopologyOpeningEvent = EventOf<'topologyOpening'>;
export const TopologyOpeningEvent: AskedBy<TopologyOpeningEvent> = eventClass('topologyOpening');
export type TopologyClosedEvent = EventOf<'topologyClosed'>;
export const TopologyClosedEvent: AskedBy<TopologyClosedEvent> = eventClass('topologyClosed');
export type TopologyDescriptionChangedEvent = EventOf<'topologyDescriptionChanged'>;
export const TopologyDescriptionChangedEvent: AskedBy<TopologyDescriptionChangedEvent> =
  eventClass('topologyDescriptionChanged');

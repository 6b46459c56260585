// Events under the names of the official driver's classes, for programs that ask what they were told. They are plain values.
import type { EventMap, EventName } from '@tessera/contracts';
import type { AskedBy } from './asked-by.js';

type EventOf<Name extends EventName> = { readonly name: Name } & EventMap[Name];

const told = <Name extends EventName>(name: Name): AskedBy<EventOf<Name>> => ({
  [Symbol.hasInstance]: (value): value is EventOf<Name> =>
    (value as { readonly name?: unknown } | null | undefined)?.name === name,
});

export type CommandStartedEvent = EventOf<'commandStarted'>;
export const CommandStartedEvent: AskedBy<CommandStartedEvent> = told('commandStarted');
export type CommandSucceededEvent = EventOf<'commandSucceeded'>;
export const CommandSucceededEvent: AskedBy<CommandSucceededEvent> = told('commandSucceeded');
export type CommandFailedEvent = EventOf<'commandFailed'>;
export const CommandFailedEvent: AskedBy<CommandFailedEvent> = told('commandFailed');
export type ConnectionPoolCreatedEvent = EventOf<'connectionPoolCreated'>;
export const ConnectionPoolCreatedEvent: AskedBy<ConnectionPoolCreatedEvent> = told('connectionPoolCreated');
export type ConnectionPoolReadyEvent = EventOf<'connectionPoolReady'>;
export const ConnectionPoolReadyEvent: AskedBy<ConnectionPoolReadyEvent> = told('connectionPoolReady');
export type ConnectionPoolClearedEvent = EventOf<'connectionPoolCleared'>;
export const ConnectionPoolClearedEvent: AskedBy<ConnectionPoolClearedEvent> = told('connectionPoolCleared');
export type ConnectionPoolClosedEvent = EventOf<'connectionPoolClosed'>;
export const ConnectionPoolClosedEvent: AskedBy<ConnectionPoolClosedEvent> = told('connectionPoolClosed');
export type ConnectionCreatedEvent = EventOf<'connectionCreated'>;
export const ConnectionCreatedEvent: AskedBy<ConnectionCreatedEvent> = told('connectionCreated');
export type ConnectionReadyEvent = EventOf<'connectionReady'>;
export const ConnectionReadyEvent: AskedBy<ConnectionReadyEvent> = told('connectionReady');
export type ConnectionClosedEvent = EventOf<'connectionClosed'>;
export const ConnectionClosedEvent: AskedBy<ConnectionClosedEvent> = told('connectionClosed');
export type ConnectionCheckOutStartedEvent = EventOf<'connectionCheckOutStarted'>;
export const ConnectionCheckOutStartedEvent: AskedBy<ConnectionCheckOutStartedEvent> =
  told('connectionCheckOutStarted');
export type ConnectionCheckOutFailedEvent = EventOf<'connectionCheckOutFailed'>;
export const ConnectionCheckOutFailedEvent: AskedBy<ConnectionCheckOutFailedEvent> = told('connectionCheckOutFailed');
export type ConnectionCheckedOutEvent = EventOf<'connectionCheckedOut'>;
export const ConnectionCheckedOutEvent: AskedBy<ConnectionCheckedOutEvent> = told('connectionCheckedOut');
export type ConnectionCheckedInEvent = EventOf<'connectionCheckedIn'>;
export const ConnectionCheckedInEvent: AskedBy<ConnectionCheckedInEvent> = told('connectionCheckedIn');
export type ServerOpeningEvent = EventOf<'serverOpening'>;
export const ServerOpeningEvent: AskedBy<ServerOpeningEvent> = told('serverOpening');
export type ServerClosedEvent = EventOf<'serverClosed'>;
export const ServerClosedEvent: AskedBy<ServerClosedEvent> = told('serverClosed');
export type ServerDescriptionChangedEvent = EventOf<'serverDescriptionChanged'>;
export const ServerDescriptionChangedEvent: AskedBy<ServerDescriptionChangedEvent> = told('serverDescriptionChanged');
export type ServerHeartbeatStartedEvent = EventOf<'serverHeartbeatStarted'>;
export const ServerHeartbeatStartedEvent: AskedBy<ServerHeartbeatStartedEvent> = told('serverHeartbeatStarted');
export type ServerHeartbeatSucceededEvent = EventOf<'serverHeartbeatSucceeded'>;
export const ServerHeartbeatSucceededEvent: AskedBy<ServerHeartbeatSucceededEvent> = told('serverHeartbeatSucceeded');
export type ServerHeartbeatFailedEvent = EventOf<'serverHeartbeatFailed'>;
export const ServerHeartbeatFailedEvent: AskedBy<ServerHeartbeatFailedEvent> = told('serverHeartbeatFailed');
export type TopologyOpeningEvent = EventOf<'topologyOpening'>;
export const TopologyOpeningEvent: AskedBy<TopologyOpeningEvent> = told('topologyOpening');
export type TopologyClosedEvent = EventOf<'topologyClosed'>;
export const TopologyClosedEvent: AskedBy<TopologyClosedEvent> = told('topologyClosed');
export type TopologyDescriptionChangedEvent = EventOf<'topologyDescriptionChanged'>;
export const TopologyDescriptionChangedEvent: AskedBy<TopologyDescriptionChangedEvent> =
  told('topologyDescriptionChanged');

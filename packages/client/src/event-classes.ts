/**
 * The classes of the driver's events, with the names, fields and constructors of the official driver. The driver creates
 * plain objects; the client gives them the prototype of their class when it emits them. The constructors are for
 * programs that create events by hand, for example in tests. An event that is created by hand has the durations that its
 * constructor receives.
 */
import type { Address, Document, EventMap, EventName, Millis, ObjectId } from '@tessera/contracts';
import type { ServerDescription, TopologyDescription } from './descriptions.js';

/** The pool, as the constructors of its events receive it. */
interface OfPool {
  readonly address: Address;
  readonly options?: Document;
}

/** The connection, as the constructors of its events receive it. */
interface OfConnection {
  readonly id: number;
  readonly address?: Address;
  readonly serviceId?: ObjectId | undefined;
}

/** The command, as the constructors of its events receive it. */
interface OfCommand {
  readonly requestId: number;
  readonly databaseName: string;
  readonly command: Document;
}

/** The base class of the events of connection pools. */
export class ConnectionPoolMonitoringEvent {
  readonly address: Address;
  /** When the event occurred. Undefined for an event that is created by hand. */
  declare readonly time: Date;

  constructor(pool: OfPool) {
    this.address = pool.address;
  }
}
/** The limits of a pool. */
type PoolSize = Record<
  'maxPoolSize' | 'minPoolSize' | 'maxConnecting' | 'maxIdleTimeMS' | 'waitQueueTimeoutMS',
  number
>;

/** A pool was created. `options` are the options that limit it. */
export class ConnectionPoolCreatedEvent extends ConnectionPoolMonitoringEvent {
  readonly name = 'connectionPoolCreated' as const;
  readonly options: PoolSize;

  constructor(pool: OfPool) {
    super(pool);
    this.options = (pool.options ?? {}) as PoolSize;
  }
}

/** A pool can provide connections. */
export class ConnectionPoolReadyEvent extends ConnectionPoolMonitoringEvent {
  readonly name = 'connectionPoolReady' as const;
}

/** A pool was closed. */
export class ConnectionPoolClosedEvent extends ConnectionPoolMonitoringEvent {
  readonly name = 'connectionPoolClosed' as const;
}

/** A pool was cleared: its connections are not used again. */
export class ConnectionPoolClearedEvent extends ConnectionPoolMonitoringEvent {
  readonly name = 'connectionPoolCleared' as const;
  readonly serviceId: ObjectId | undefined;
  readonly interruptInUseConnections: boolean | undefined;

  constructor(
    pool: OfPool,
    options: { readonly serviceId?: ObjectId; readonly interruptInUseConnections?: boolean } = {},
  ) {
    super(pool);
    this.serviceId = options.serviceId;
    this.interruptInUseConnections = options.interruptInUseConnections;
  }
}

/** A connection was created. It is not established yet. */
export class ConnectionCreatedEvent extends ConnectionPoolMonitoringEvent {
  readonly name = 'connectionCreated' as const;
  readonly connectionId: number;

  constructor(pool: OfPool, connection: OfConnection) {
    super(pool);
    this.connectionId = connection.id;
  }
}

/** A connection has completed its handshake and authentication. */
export class ConnectionReadyEvent extends ConnectionPoolMonitoringEvent {
  readonly name = 'connectionReady' as const;
  readonly connectionId: number;
  readonly durationMS: Millis;

  constructor(pool: OfPool, connection: OfConnection, durationMS: Millis) {
    super(pool);
    this.connectionId = connection.id;
    this.durationMS = durationMS;
  }
}

/** A connection was closed. */
export class ConnectionClosedEvent extends ConnectionPoolMonitoringEvent {
  readonly name = 'connectionClosed' as const;
  readonly connectionId: number;
  readonly reason: EventMap['connectionClosed']['reason'];
  readonly serviceId: ObjectId | undefined;
  readonly error: Error | null;

  constructor(pool: OfPool, connection: OfConnection, reason: EventMap['connectionClosed']['reason'], error?: Error) {
    super(pool);
    this.connectionId = connection.id;
    this.reason = reason;
    this.serviceId = connection.serviceId;
    this.error = error ?? null;
  }
}

/** An operation requested a connection. */
export class ConnectionCheckOutStartedEvent extends ConnectionPoolMonitoringEvent {
  readonly name = 'connectionCheckOutStarted' as const;
}

/** An operation did not get a connection. */
export class ConnectionCheckOutFailedEvent extends ConnectionPoolMonitoringEvent {
  readonly name = 'connectionCheckOutFailed' as const;
  readonly durationMS: Millis;
  readonly reason: EventMap['connectionCheckOutFailed']['reason'];
  readonly error: Error | undefined;

  constructor(pool: OfPool, reason: EventMap['connectionCheckOutFailed']['reason'], durationMS: Millis, error?: Error) {
    super(pool);
    this.durationMS = durationMS;
    this.reason = reason;
    this.error = error;
  }
}

/** An operation got a connection. */
export class ConnectionCheckedOutEvent extends ConnectionPoolMonitoringEvent {
  readonly name = 'connectionCheckedOut' as const;
  readonly connectionId: number;
  readonly durationMS: Millis;

  constructor(pool: OfPool, connection: OfConnection, durationMS: Millis) {
    super(pool);
    this.connectionId = connection.id;
    this.durationMS = durationMS;
  }
}

/** An operation returned its connection. */
export class ConnectionCheckedInEvent extends ConnectionPoolMonitoringEvent {
  readonly name = 'connectionCheckedIn' as const;
  readonly connectionId: number;

  constructor(pool: OfPool, connection: OfConnection) {
    super(pool);
    this.connectionId = connection.id;
  }
}

/** The base class of the events of commands. */
class CommandEvent {
  readonly address: Address;
  readonly connectionId: number;
  readonly serviceId: ObjectId | undefined;
  readonly requestId: number;
  readonly databaseName: string;
  readonly commandName: string;
  readonly serverConnectionId: bigint | undefined;

  constructor(connection: OfConnection, command: OfCommand, serverConnectionId: bigint | undefined) {
    this.address = connection.address ?? '';
    this.connectionId = connection.id;
    this.serviceId = connection.serviceId;
    this.requestId = command.requestId;
    this.databaseName = command.databaseName;
    this.commandName = Object.keys(command.command)[0] ?? '';
    this.serverConnectionId = serverConnectionId;
  }

  get hasServiceId(): boolean {
    return this.serviceId !== undefined;
  }
}

/** A command is sent to a server. */
export class CommandStartedEvent extends CommandEvent {
  readonly name = 'commandStarted' as const;
  readonly command: Document;

  constructor(connection: OfConnection, command: OfCommand, serverConnectionId?: bigint) {
    super(connection, command, serverConnectionId);
    this.command = command.command;
  }
}

/** A command succeeded. */
export class CommandSucceededEvent extends CommandEvent {
  readonly name = 'commandSucceeded' as const;
  readonly duration: Millis;
  readonly reply: Document;

  constructor(
    connection: OfConnection,
    command: OfCommand,
    reply: Document,
    duration: Millis,
    serverConnectionId?: bigint,
  ) {
    super(connection, command, serverConnectionId);
    this.duration = duration;
    this.reply = reply;
  }
}

/** A command failed. */
export class CommandFailedEvent extends CommandEvent {
  readonly name = 'commandFailed' as const;
  readonly duration: Millis;
  readonly failure: Error;

  constructor(
    connection: OfConnection,
    command: OfCommand,
    failure: Error,
    duration: Millis,
    serverConnectionId?: bigint,
  ) {
    super(connection, command, serverConnectionId);
    this.duration = duration;
    this.failure = failure;
  }
}

/** The client starts to monitor the deployment. */
export class TopologyOpeningEvent {
  readonly name = 'topologyOpening' as const;
  readonly topologyId: number;

  constructor(topologyId: number) {
    this.topologyId = topologyId;
  }
}

/** The client has stopped monitoring the deployment. */
export class TopologyClosedEvent {
  readonly name = 'topologyClosed' as const;
  readonly topologyId: number;

  constructor(topologyId: number) {
    this.topologyId = topologyId;
  }
}

/** The description of the deployment has changed. */
export class TopologyDescriptionChangedEvent {
  readonly name = 'topologyDescriptionChanged' as const;
  readonly topologyId: number;
  readonly previousDescription: TopologyDescription;
  readonly newDescription: TopologyDescription;

  constructor(topologyId: number, previousDescription: TopologyDescription, newDescription: TopologyDescription) {
    this.topologyId = topologyId;
    this.previousDescription = previousDescription;
    this.newDescription = newDescription;
  }
}

/** The client starts to monitor a server. */
export class ServerOpeningEvent {
  readonly name = 'serverOpening' as const;
  readonly topologyId: number;
  readonly address: Address;

  constructor(topologyId: number, address: Address) {
    this.topologyId = topologyId;
    this.address = address;
  }
}

/** The client has stopped monitoring a server. */
export class ServerClosedEvent {
  readonly name = 'serverClosed' as const;
  readonly topologyId: number;
  readonly address: Address;

  constructor(topologyId: number, address: Address) {
    this.topologyId = topologyId;
    this.address = address;
  }
}

/** The description of a server has changed, apart from its round-trip time. */
export class ServerDescriptionChangedEvent {
  readonly name = 'serverDescriptionChanged' as const;
  readonly topologyId: number;
  readonly address: Address;
  readonly previousDescription: ServerDescription;
  readonly newDescription: ServerDescription;

  constructor(
    topologyId: number,
    address: Address,
    previousDescription: ServerDescription,
    newDescription: ServerDescription,
  ) {
    this.topologyId = topologyId;
    this.address = address;
    this.previousDescription = previousDescription;
    this.newDescription = newDescription;
  }
}

/** A check of a server starts. */
export class ServerHeartbeatStartedEvent {
  readonly name = 'serverHeartbeatStarted' as const;
  readonly connectionId: string;
  readonly awaited: boolean;

  constructor(connectionId: string, awaited: boolean) {
    this.connectionId = connectionId;
    this.awaited = awaited;
  }
}

/** A check of a server succeeded. */
export class ServerHeartbeatSucceededEvent {
  readonly name = 'serverHeartbeatSucceeded' as const;
  readonly connectionId: string;
  readonly duration: Millis;
  readonly reply: Document;
  readonly awaited: boolean;

  constructor(connectionId: string, duration: Millis, reply: Document, awaited: boolean) {
    this.connectionId = connectionId;
    this.duration = duration;
    this.reply = reply;
    this.awaited = awaited;
  }
}

/** A check of a server failed. */
export class ServerHeartbeatFailedEvent {
  readonly name = 'serverHeartbeatFailed' as const;
  readonly connectionId: string;
  readonly duration: Millis;
  readonly failure: Error;
  readonly awaited: boolean;

  constructor(connectionId: string, duration: Millis, failure: Error, awaited: boolean) {
    this.connectionId = connectionId;
    this.duration = duration;
    this.failure = failure;
    this.awaited = awaited;
  }
}

/** The classes by the names of the events. The events of server selection have none, because only the log receives them. */
export const eventClasses: {
  readonly connectionPoolCreated: typeof ConnectionPoolCreatedEvent;
  readonly connectionPoolReady: typeof ConnectionPoolReadyEvent;
  readonly connectionPoolClosed: typeof ConnectionPoolClosedEvent;
  readonly connectionPoolCleared: typeof ConnectionPoolClearedEvent;
  readonly connectionCreated: typeof ConnectionCreatedEvent;
  readonly connectionReady: typeof ConnectionReadyEvent;
  readonly connectionClosed: typeof ConnectionClosedEvent;
  readonly connectionCheckOutStarted: typeof ConnectionCheckOutStartedEvent;
  readonly connectionCheckOutFailed: typeof ConnectionCheckOutFailedEvent;
  readonly connectionCheckedOut: typeof ConnectionCheckedOutEvent;
  readonly connectionCheckedIn: typeof ConnectionCheckedInEvent;
  readonly commandStarted: typeof CommandStartedEvent;
  readonly commandSucceeded: typeof CommandSucceededEvent;
  readonly commandFailed: typeof CommandFailedEvent;
  readonly topologyOpening: typeof TopologyOpeningEvent;
  readonly topologyClosed: typeof TopologyClosedEvent;
  readonly topologyDescriptionChanged: typeof TopologyDescriptionChangedEvent;
  readonly serverOpening: typeof ServerOpeningEvent;
  readonly serverClosed: typeof ServerClosedEvent;
  readonly serverDescriptionChanged: typeof ServerDescriptionChangedEvent;
  readonly serverHeartbeatStarted: typeof ServerHeartbeatStartedEvent;
  readonly serverHeartbeatSucceeded: typeof ServerHeartbeatSucceededEvent;
  readonly serverHeartbeatFailed: typeof ServerHeartbeatFailedEvent;
} = {
  connectionPoolCreated: ConnectionPoolCreatedEvent,
  connectionPoolReady: ConnectionPoolReadyEvent,
  connectionPoolClosed: ConnectionPoolClosedEvent,
  connectionPoolCleared: ConnectionPoolClearedEvent,
  connectionCreated: ConnectionCreatedEvent,
  connectionReady: ConnectionReadyEvent,
  connectionClosed: ConnectionClosedEvent,
  connectionCheckOutStarted: ConnectionCheckOutStartedEvent,
  connectionCheckOutFailed: ConnectionCheckOutFailedEvent,
  connectionCheckedOut: ConnectionCheckedOutEvent,
  connectionCheckedIn: ConnectionCheckedInEvent,
  commandStarted: CommandStartedEvent,
  commandSucceeded: CommandSucceededEvent,
  commandFailed: CommandFailedEvent,
  topologyOpening: TopologyOpeningEvent,
  topologyClosed: TopologyClosedEvent,
  topologyDescriptionChanged: TopologyDescriptionChangedEvent,
  serverOpening: ServerOpeningEvent,
  serverClosed: ServerClosedEvent,
  serverDescriptionChanged: ServerDescriptionChangedEvent,
  serverHeartbeatStarted: ServerHeartbeatStartedEvent,
  serverHeartbeatSucceeded: ServerHeartbeatSucceededEvent,
  serverHeartbeatFailed: ServerHeartbeatFailedEvent,
};

type Classes = typeof eventClasses;

/** An event as a client emits it: an instance of its class, with the further fields of {@link EventMap}. */
export type EventOf<Name extends EventName> = Name extends keyof Classes
  ? InstanceType<Classes[Name]> & Omit<EventMap[Name], keyof InstanceType<Classes[Name]>>
  : { readonly name: Name } & EventMap[Name];

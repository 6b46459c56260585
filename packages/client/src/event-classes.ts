/**
 * The classes of the driver's events, with the names, fields and constructors of the official driver. The driver creates
 * plain objects; the client gives them the prototype of their class when it emits them. The constructors are for
 * programs that create events by hand, for example in tests. An event that is created by hand has the durations that its
 * constructor receives.
 */
import type { Address, Document, EventMap, EventName, Millis, ObjectId } from '@tessera/contracts';
import {
  TopologyOpeningEvent,
  TopologyClosedEvent,
  TopologyDescriptionChangedEvent,
  ServerOpeningEvent,
  ServerClosedEvent,
  ServerDescriptionChangedEvent,
  ServerHeartbeatStartedEvent,
  ServerHeartbeatSucceededEvent,
  ServerHeartbeatFailedEvent,
} from './monitoring-event-classes.js';

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
  /** The address of the server. */
  readonly address: Address;
  /** When the event occurred. Undefined for an event that is created by hand. */
  declare readonly time: Date;

  /** Creates an event. Applications create events only in tests. */
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
  /** The name of the event. */
  readonly name = 'connectionPoolCreated' as const;
  /** The limits of the pool. */
  readonly options: PoolSize;

  /** Creates an event. Applications create events only in tests. */
  constructor(pool: OfPool) {
    super(pool);
    this.options = (pool.options ?? {}) as PoolSize;
  }
}

/** A pool can provide connections. */
export class ConnectionPoolReadyEvent extends ConnectionPoolMonitoringEvent {
  /** The name of the event. */
  readonly name = 'connectionPoolReady' as const;
}

/** A pool was closed. */
export class ConnectionPoolClosedEvent extends ConnectionPoolMonitoringEvent {
  /** The name of the event. */
  readonly name = 'connectionPoolClosed' as const;
}

/** A pool was cleared: its connections are not used again. */
export class ConnectionPoolClearedEvent extends ConnectionPoolMonitoringEvent {
  /** The name of the event. */
  readonly name = 'connectionPoolCleared' as const;
  /** The service behind a load balancer whose connections were discarded. Undefined means all connections. */
  readonly serviceId: ObjectId | undefined;
  /** Whether operations on connections in use failed at once. */
  readonly interruptInUseConnections: boolean | undefined;

  /** Creates an event. Applications create events only in tests. */
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
  /** The name of the event. */
  readonly name = 'connectionCreated' as const;
  /** The number of the connection in its pool. */
  readonly connectionId: number;

  /** Creates an event. Applications create events only in tests. */
  constructor(pool: OfPool, connection: OfConnection) {
    super(pool);
    this.connectionId = connection.id;
  }
}

/** A connection has completed its handshake and authentication. */
export class ConnectionReadyEvent extends ConnectionPoolMonitoringEvent {
  /** The name of the event. */
  readonly name = 'connectionReady' as const;
  /** The number of the connection in its pool. */
  readonly connectionId: number;
  /** The duration in milliseconds. */
  readonly durationMS: Millis;

  /** Creates an event. Applications create events only in tests. */
  constructor(pool: OfPool, connection: OfConnection, durationMS: Millis) {
    super(pool);
    this.connectionId = connection.id;
    this.durationMS = durationMS;
  }
}

/** A connection was closed. */
export class ConnectionClosedEvent extends ConnectionPoolMonitoringEvent {
  /** The name of the event. */
  readonly name = 'connectionClosed' as const;
  /** The number of the connection in its pool. */
  readonly connectionId: number;
  /** The reason for closing the connection. */
  readonly reason: EventMap['connectionClosed']['reason'];
  /** The id of the service behind a load balancer. */
  readonly serviceId: ObjectId | undefined;
  /** The error, if there is one. */
  readonly error: Error | null;

  /** Creates an event. Applications create events only in tests. */
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
  /** The name of the event. */
  readonly name = 'connectionCheckOutStarted' as const;
}

/** An operation did not get a connection. */
export class ConnectionCheckOutFailedEvent extends ConnectionPoolMonitoringEvent {
  /** The name of the event. */
  readonly name = 'connectionCheckOutFailed' as const;
  /** The duration in milliseconds. */
  readonly durationMS: Millis;
  /** The reason for the failure. */
  readonly reason: EventMap['connectionCheckOutFailed']['reason'];
  /** The error, if there is one. */
  readonly error: Error | undefined;

  /** Creates an event. Applications create events only in tests. */
  constructor(pool: OfPool, reason: EventMap['connectionCheckOutFailed']['reason'], durationMS: Millis, error?: Error) {
    super(pool);
    this.durationMS = durationMS;
    this.reason = reason;
    this.error = error;
  }
}

/** An operation got a connection. */
export class ConnectionCheckedOutEvent extends ConnectionPoolMonitoringEvent {
  /** The name of the event. */
  readonly name = 'connectionCheckedOut' as const;
  /** The number of the connection in its pool. */
  readonly connectionId: number;
  /** The duration in milliseconds. */
  readonly durationMS: Millis;

  /** Creates an event. Applications create events only in tests. */
  constructor(pool: OfPool, connection: OfConnection, durationMS: Millis) {
    super(pool);
    this.connectionId = connection.id;
    this.durationMS = durationMS;
  }
}

/** An operation returned its connection. */
export class ConnectionCheckedInEvent extends ConnectionPoolMonitoringEvent {
  /** The name of the event. */
  readonly name = 'connectionCheckedIn' as const;
  /** The number of the connection in its pool. */
  readonly connectionId: number;

  /** Creates an event. Applications create events only in tests. */
  constructor(pool: OfPool, connection: OfConnection) {
    super(pool);
    this.connectionId = connection.id;
  }
}

/** The base class of the events of commands. */
class CommandEvent {
  /** The address of the server. */
  readonly address: Address;
  /** The number of the connection in its pool. */
  readonly connectionId: number;
  /** The id of the service behind a load balancer. */
  readonly serviceId: ObjectId | undefined;
  /** The number of the message. */
  readonly requestId: number;
  /** The name of the database. */
  readonly databaseName: string;
  /** The name of the command, such as `find`. */
  readonly commandName: string;
  /** The number that the server gave the connection. */
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

  /** Whether the event has a service id. */
  get hasServiceId(): boolean {
    return this.serviceId !== undefined;
  }
}

/** A command is sent to a server. */
export class CommandStartedEvent extends CommandEvent {
  /** The name of the event. */
  readonly name = 'commandStarted' as const;
  /** The command. Empty for commands with credentials. */
  readonly command: Document;
  /** Always absent. For compatibility. */
  declare readonly commandObj?: Document;

  /** Creates an event. Applications create events only in tests. */
  constructor(connection: OfConnection, command: OfCommand, serverConnectionId?: bigint) {
    super(connection, command, serverConnectionId);
    this.command = command.command;
  }
}

/** A command succeeded. */
export class CommandSucceededEvent extends CommandEvent {
  /** The name of the event. */
  readonly name = 'commandSucceeded' as const;
  /** The duration in milliseconds. */
  readonly duration: Millis;
  /** The reply. Empty for commands with credentials. */
  readonly reply: Document;

  /** Creates an event. Applications create events only in tests. */
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
  /** The name of the event. */
  readonly name = 'commandFailed' as const;
  /** The duration in milliseconds. */
  readonly duration: Millis;
  /** The error. */
  readonly failure: Error;

  /** Creates an event. Applications create events only in tests. */
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
  : {
      /** The name of the event. */
      readonly name: Name;
    } & EventMap[Name];

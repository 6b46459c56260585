/**
 * The driver's events as plain objects, with the names of the official driver. They contain no time; the sink adds it. The driver
 * only creates an event if `wants` of the sink returns true for its name.
 */
import type { Millis } from './clock.js';
import type { ServerDescription, TopologyDescription } from './description.js';
import type { Selection } from './selection.js';
import type { Address } from './transport.js';
import type { Document, ObjectId } from './values.js';

/** Fields of every pool event. */
interface OfPool {
  /** The address of the server. */
  readonly address: Address;
}
/** Fields of every connection event. `connectionId` is unique in its pool. */
interface OfConnection extends OfPool {
  /** The number of the connection in its pool. */
  readonly connectionId: number;
  /** The id of the service behind a load balancer. */
  readonly serviceId?: ObjectId | undefined;
}
/** Fields of every command event. `operationId` is the same for all attempts of an operation. */
interface OfCommand {
  /** The address of the server. */
  readonly address: Address;
  /** The number of the connection in its pool. */
  readonly connectionId: number;
  /** The number that the server gave the connection. Undefined if it sent none. */
  readonly serverConnectionId: bigint | undefined;
  /** The id of the service behind a load balancer. */
  readonly serviceId?: ObjectId | undefined;
  /** The number of the message. */
  readonly requestId: number;
  /** The number of the operation. It is the same for all attempts. */
  readonly operationId: number;
  /** The name of the database. */
  readonly databaseName: string;
  /** The name of the command, such as `find`. */
  readonly commandName: string;
}
/** Fields of every topology event. */
interface OfTopology {
  /** A random number that identifies the deployment. */
  readonly topologyId: number;
}
/** Fields of every heartbeat event: the check of one server. */
interface OfHeartbeat extends OfTopology {
  /** The address of the server. */
  readonly address: Address;
  /** The server's address and the connection's number. */
  readonly connectionId: string;
  /** The number in `connectionId`. */
  readonly driverConnectionId: number;
  /** Undefined before the connection's first reply. */
  readonly serverConnectionId: bigint | undefined;
  /** Whether the server delays its reply until its state changes. */
  readonly awaited: boolean;
}
/** Fields of every server selection event. */
interface OfSelection {
  /** The servers that the operation may use. */
  readonly selector: Selection;
  /** The name of the command, such as `find`. */
  readonly operation: string;
  /** The number of the operation. It is the same for all attempts. */
  readonly operationId: number;
  /** The state of the deployment. */
  readonly topologyDescription: TopologyDescription;
}

/**
 * The fields of each event, by the event's name. Durations are in milliseconds. Rule: Connection Monitoring and Pooling;
 * Command Logging and Monitoring; SDAM Logging and Monitoring, "Events".
 */
export interface EventMap {
  /** A pool was created. It is paused until the first check of its server succeeds. */
  readonly connectionPoolCreated: OfPool & {
    /** The options of the pool that differ from their defaults, without connectTimeoutMS and timeoutMS. */
    readonly options: Document;
  };
  /** The pool is ready: it opens connections and lends them. */
  readonly connectionPoolReady: OfPool;
  /** The pool discarded its connections, because its server is unavailable or changed its state. */
  readonly connectionPoolCleared: OfPool & {
    /** The service behind a load balancer whose connections were discarded. Undefined means all connections. */
    readonly serviceId?: ObjectId | undefined;
    /** Whether operations on connections in use failed at once. */
    readonly interruptInUseConnections: boolean;
  };
  /** The pool closed, with all its idle connections. */
  readonly connectionPoolClosed: OfPool;
  /** A connection was created. Its socket and handshake follow. */
  readonly connectionCreated: OfConnection;
  /** The handshake and authentication of a connection succeeded. */
  readonly connectionReady: OfConnection & {
    /** The time from the creation of the connection to the end of its handshake. */
    readonly durationMS: Millis;
  };
  /** A connection closed. */
  readonly connectionClosed: OfConnection & {
    /** The reason for closing the connection. */
    readonly reason: 'stale' | 'idle' | 'error' | 'poolClosed';
    /** The error that closed the connection, if known. */
    readonly error?: Error | undefined;
  };
  /** An operation requested a connection. */
  readonly connectionCheckOutStarted: OfPool;
  /** The pool could not lend a connection. */
  readonly connectionCheckOutFailed: OfPool & {
    /**
     * `timeout`: a time limit passed or the signal aborted. `poolClosed`: the pool or the client closed. `connectionError`: the
     * handshake failed, or the pool is paused.
     */
    readonly reason: 'poolClosed' | 'timeout' | 'connectionError';
    /** Why the checkout failed. */
    readonly error?: Error | undefined;
    /** The time from the start of the checkout to its failure. */
    readonly durationMS: Millis;
  };
  /** The pool lent a connection. */
  readonly connectionCheckedOut: OfConnection & {
    /** The time from the start of the checkout to its end. */
    readonly durationMS: Millis;
  };
  /** An operation returned its connection. */
  readonly connectionCheckedIn: OfConnection;

  /** Emitted immediately before a command is sent. */
  readonly commandStarted: OfCommand & {
    /** The command. Empty for commands with credentials. */
    readonly command: Document;
  };
  /** The server replied with `ok: 1`, also if the reply contains write errors. */
  readonly commandSucceeded: OfCommand & {
    /** The time from commandStarted to the reply; for a command without a reply, to the end of sending. */
    readonly duration: Millis;
    /** The reply. Empty for commands with credentials. */
    readonly reply: Document;
  };
  /** The server replied with `ok: 0`, or no reply could be received. */
  readonly commandFailed: OfCommand & {
    /** The time from commandStarted to the failure. */
    readonly duration: Millis;
    /** The error. */
    readonly failure: Error;
  };

  /** The client starts to monitor its deployment. */
  readonly topologyOpening: OfTopology;
  /** The client stopped monitoring its deployment. */
  readonly topologyClosed: OfTopology;
  /** The state of the deployment changed. */
  readonly topologyDescriptionChanged: OfTopology & {
    /** The state before the change. */
    readonly previousDescription: TopologyDescription;
    /** The state after the change. */
    readonly newDescription: TopologyDescription;
  };
  /** A server was added to the deployment, and its monitoring starts. */
  readonly serverOpening: OfTopology & {
    /** The address of the server. */
    readonly address: Address;
  };
  /** A server was removed from the deployment, and its monitoring ended. */
  readonly serverClosed: OfTopology & {
    /** The address of the server. */
    readonly address: Address;
  };
  /** The state of a server changed. */
  readonly serverDescriptionChanged: OfTopology & {
    /** The address of the server. */
    readonly address: Address;
    /** The state before the change. */
    readonly previousDescription: ServerDescription;
    /** The state after the change. */
    readonly newDescription: ServerDescription;
  };
  /** A check of a server started. */
  readonly serverHeartbeatStarted: OfHeartbeat;
  /** The server answered the check. */
  readonly serverHeartbeatSucceeded: OfHeartbeat & {
    /**
     * The round-trip time of hello on a new connection; otherwise the time from serverHeartbeatStarted to the reply. If `awaited` is
     * true, it includes the server's delay.
     */
    readonly duration: Millis;
    /** The server's hello reply. */
    readonly reply: Document;
  };
  /** The check failed. */
  readonly serverHeartbeatFailed: OfHeartbeat & {
    /** The time from serverHeartbeatStarted to the failure. */
    readonly duration: Millis;
    /** The error. */
    readonly failure: Error;
  };

  /**
   * A server selection started. Only the log receives this event and the three below, not the listeners of a client. Rule: Server
   * Selection, "Logging".
   */
  readonly serverSelectionStarted: OfSelection;
  /** A suitable server was found. */
  readonly serverSelectionSucceeded: OfSelection & {
    /** The address of the server. */
    readonly address: Address;
  };
  /** No suitable server was found in time. */
  readonly serverSelectionFailed: OfSelection & {
    /** The error. */
    readonly failure: Error;
  };
  /** Emitted once for each server selection that has to wait. A retry is a new selection. */
  readonly waitingForSuitableServer: OfSelection & {
    /** The time in milliseconds that is left for server selection. */
    readonly remainingTimeMS: Millis;
  };
}

/** The name of an event. */
export type EventName = keyof EventMap;

/** One event: its name and its fields. */
export type DriverEvent = { readonly [N in EventName]: { readonly name: N } & EventMap[N] }[EventName];

/** Receives the driver's events, such as to call the listeners of a client or to write a log. */
export interface EventSink {
  /** Returns whether the sink needs events of this name. Called before each event is created, so it must be fast. */
  wants(name: EventName): boolean;
  /** Receives an event, synchronously. Must not throw. */
  emit(event: DriverEvent): void;
}

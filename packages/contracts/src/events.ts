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
  readonly address: Address;
}
/** Fields of every connection event. `connectionId` is unique in its pool. */
interface OfConnection extends OfPool {
  readonly connectionId: number;
  readonly serviceId?: ObjectId | undefined;
}
/** Fields of every command event. `operationId` is the same for all attempts of an operation. */
interface OfCommand {
  readonly address: Address;
  readonly connectionId: number;
  readonly serverConnectionId: bigint | undefined;
  readonly serviceId?: ObjectId | undefined;
  readonly requestId: number;
  readonly operationId: number;
  readonly databaseName: string;
  readonly commandName: string;
}
/** Fields of every topology event. */
interface OfTopology {
  readonly topologyId: number;
}
/** Fields of every heartbeat event: the check of one server. */
interface OfHeartbeat extends OfTopology {
  readonly address: Address;
  /** The server's address and the connection's number. */
  readonly connectionId: string;
  /** The number in `connectionId`. */
  readonly driverConnectionId: number;
  /** Undefined before the connection's first reply. */
  readonly serverConnectionId: bigint | undefined;
  /** Whether the server replies when its state changes, not immediately. */
  readonly awaited: boolean;
}
/** Fields of every server selection event. */
interface OfSelection {
  readonly selector: Selection;
  readonly operation: string;
  readonly operationId: number;
  readonly topologyDescription: TopologyDescription;
}

/**
 * The fields of each event, by the event's name. Durations are in milliseconds. Rule: Connection Monitoring and Pooling;
 * Command Logging and Monitoring; SDAM Logging and Monitoring, "Events".
 */
export interface EventMap {
  readonly connectionPoolCreated: OfPool & { readonly options: Document };
  readonly connectionPoolReady: OfPool;
  readonly connectionPoolCleared: OfPool & {
    readonly serviceId?: ObjectId | undefined;
    readonly interruptInUseConnections: boolean;
  };
  readonly connectionPoolClosed: OfPool;
  readonly connectionCreated: OfConnection;
  readonly connectionReady: OfConnection & { readonly durationMS: Millis };
  readonly connectionClosed: OfConnection & {
    readonly reason: 'stale' | 'idle' | 'error' | 'poolClosed';
    readonly error?: Error | undefined;
  };
  readonly connectionCheckOutStarted: OfPool;
  readonly connectionCheckOutFailed: OfPool & {
    readonly reason: 'poolClosed' | 'timeout' | 'connectionError';
    readonly error?: Error | undefined;
    readonly durationMS: Millis;
  };
  readonly connectionCheckedOut: OfConnection & { readonly durationMS: Millis };
  readonly connectionCheckedIn: OfConnection;

  readonly commandStarted: OfCommand & { readonly command: Document };
  readonly commandSucceeded: OfCommand & { readonly duration: Millis; readonly reply: Document };
  readonly commandFailed: OfCommand & { readonly duration: Millis; readonly failure: Error };

  readonly topologyOpening: OfTopology;
  readonly topologyClosed: OfTopology;
  readonly topologyDescriptionChanged: OfTopology & {
    readonly previousDescription: TopologyDescription;
    readonly newDescription: TopologyDescription;
  };
  readonly serverOpening: OfTopology & { readonly address: Address };
  readonly serverClosed: OfTopology & { readonly address: Address };
  readonly serverDescriptionChanged: OfTopology & {
    readonly address: Address;
    readonly previousDescription: ServerDescription;
    readonly newDescription: ServerDescription;
  };
  readonly serverHeartbeatStarted: OfHeartbeat;
  readonly serverHeartbeatSucceeded: OfHeartbeat & { readonly duration: Millis; readonly reply: Document };
  readonly serverHeartbeatFailed: OfHeartbeat & { readonly duration: Millis; readonly failure: Error };

  /**
   * The four events of server selection. Only the log receives them, not the listeners of a client. Rule: Server Selection,
   * "Logging".
   */
  readonly serverSelectionStarted: OfSelection;
  readonly serverSelectionSucceeded: OfSelection & { readonly address: Address };
  readonly serverSelectionFailed: OfSelection & { readonly failure: Error };
  /** Emitted once for each operation that has to wait for a suitable server. */
  readonly waitingForSuitableServer: OfSelection & { readonly remainingTimeMS: Millis };
}

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

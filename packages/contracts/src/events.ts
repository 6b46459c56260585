/** What happened, as plain values under the official driver's names. The sink adds the time; nothing is built unheard. */
import type { Millis } from './clock.js';
import type { ServerDescription, TopologyDescription } from './description.js';
import type { Selection } from './selection.js';
import type { Address } from './transport.js';
import type { Document, ObjectId } from './values.js';

interface OfPool {
  readonly address: Address;
}
interface OfConnection extends OfPool {
  readonly connectionId: number;
  readonly serviceId?: ObjectId | undefined;
}
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
interface OfTopology {
  readonly topologyId: number;
}
interface OfHeartbeat extends OfTopology {
  readonly address: Address;
  /** `address` of the server, and of which connection. */
  readonly connectionId: string;
  /** The number in `connectionId`. */
  readonly driverConnectionId: number;
  /** Undefined until the connection's first reply. */
  readonly serverConnectionId: bigint | undefined;
  readonly awaited: boolean;
}
interface OfSelection {
  readonly selector: Selection;
  readonly operation: string;
  readonly operationId: number;
  readonly topologyDescription: TopologyDescription;
}

/** Rule: Connection Monitoring and Pooling; Command Logging and Monitoring; SDAM Logging and Monitoring, "Events". */
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

  /** What Server Selection, "Logging", wants said. */
  readonly serverSelectionStarted: OfSelection;
  readonly serverSelectionSucceeded: OfSelection & { readonly address: Address };
  readonly serverSelectionFailed: OfSelection & { readonly failure: Error };
  /** Once for each operation that has to wait. */
  readonly waitingForSuitableServer: OfSelection & { readonly remainingTimeMS: Millis };
}

export type EventName = keyof EventMap;

export type DriverEvent = { readonly [N in EventName]: { readonly name: N } & EventMap[N] }[EventName];

export interface EventSink {
  /** Asked before an event is built. */
  wants(name: EventName): boolean;
  /** Must not throw. */
  emit(event: DriverEvent): void;
}

// The classes of the events that report the monitoring of servers.
import type { Address, Document, Millis } from '@tessera/contracts';
import type { ServerDescription, TopologyDescription } from './descriptions.js';

/** The client starts to monitor the deployment. */
export class TopologyOpeningEvent {
  /** The name of the event. */
  readonly name = 'topologyOpening' as const;
  /** The number of the client in this process. */
  readonly topologyId: number;

  /** Creates an event. Applications create events only in tests. */
  constructor(topologyId: number) {
    this.topologyId = topologyId;
  }
}

/** The client has stopped monitoring the deployment. */
export class TopologyClosedEvent {
  /** The name of the event. */
  readonly name = 'topologyClosed' as const;
  /** The number of the client in this process. */
  readonly topologyId: number;

  /** Creates an event. Applications create events only in tests. */
  constructor(topologyId: number) {
    this.topologyId = topologyId;
  }
}

/** The description of the deployment has changed. */
export class TopologyDescriptionChangedEvent {
  /** The name of the event. */
  readonly name = 'topologyDescriptionChanged' as const;
  /** The number of the client in this process. */
  readonly topologyId: number;
  /** The state before the change. */
  readonly previousDescription: TopologyDescription;
  /** The state after the change. */
  readonly newDescription: TopologyDescription;

  /** Creates an event. Applications create events only in tests. */
  constructor(topologyId: number, previousDescription: TopologyDescription, newDescription: TopologyDescription) {
    this.topologyId = topologyId;
    this.previousDescription = previousDescription;
    this.newDescription = newDescription;
  }
}

/** The client starts to monitor a server. */
export class ServerOpeningEvent {
  /** The name of the event. */
  readonly name = 'serverOpening' as const;
  /** The number of the client in this process. */
  readonly topologyId: number;
  /** The address of the server. */
  readonly address: Address;

  /** Creates an event. Applications create events only in tests. */
  constructor(topologyId: number, address: Address) {
    this.topologyId = topologyId;
    this.address = address;
  }
}

/** The client has stopped monitoring a server. */
export class ServerClosedEvent {
  /** The name of the event. */
  readonly name = 'serverClosed' as const;
  /** The number of the client in this process. */
  readonly topologyId: number;
  /** The address of the server. */
  readonly address: Address;

  /** Creates an event. Applications create events only in tests. */
  constructor(topologyId: number, address: Address) {
    this.topologyId = topologyId;
    this.address = address;
  }
}

/** The description of a server has changed, apart from its round-trip time. */
export class ServerDescriptionChangedEvent {
  /** The name of the event. */
  readonly name = 'serverDescriptionChanged' as const;
  /** The number of the client in this process. */
  readonly topologyId: number;
  /** The address of the server. */
  readonly address: Address;
  /** The state before the change. */
  readonly previousDescription: ServerDescription;
  /** The state after the change. */
  readonly newDescription: ServerDescription;

  /** Creates an event. Applications create events only in tests. */
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
  /** The name of the event. */
  readonly name = 'serverHeartbeatStarted' as const;
  /** The server's address and the connection's number. */
  readonly connectionId: string;
  /** Whether the server replies when its state changes, not immediately. */
  readonly awaited: boolean;

  /** Creates an event. Applications create events only in tests. */
  constructor(connectionId: string, awaited: boolean) {
    this.connectionId = connectionId;
    this.awaited = awaited;
  }
}

/** A check of a server succeeded. */
export class ServerHeartbeatSucceededEvent {
  /** The name of the event. */
  readonly name = 'serverHeartbeatSucceeded' as const;
  /** The server's address and the connection's number. */
  readonly connectionId: string;
  /** The duration in milliseconds. */
  readonly duration: Millis;
  /** The server's hello reply. */
  readonly reply: Document;
  /** Whether the server replies when its state changes, not immediately. */
  readonly awaited: boolean;

  /** Creates an event. Applications create events only in tests. */
  constructor(connectionId: string, duration: Millis, reply: Document, awaited: boolean) {
    this.connectionId = connectionId;
    this.duration = duration;
    this.reply = reply;
    this.awaited = awaited;
  }
}

/** A check of a server failed. */
export class ServerHeartbeatFailedEvent {
  /** The name of the event. */
  readonly name = 'serverHeartbeatFailed' as const;
  /** The server's address and the connection's number. */
  readonly connectionId: string;
  /** The duration in milliseconds. */
  readonly duration: Millis;
  /** The error. */
  readonly failure: Error;
  /** Whether the server replies when its state changes, not immediately. */
  readonly awaited: boolean;

  /** Creates an event. Applications create events only in tests. */
  constructor(connectionId: string, duration: Millis, failure: Error, awaited: boolean) {
    this.connectionId = connectionId;
    this.duration = duration;
    this.failure = failure;
    this.awaited = awaited;
  }
}

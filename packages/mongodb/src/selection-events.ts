// Events that programs written for the official driver import. This driver never emits them: it logs server selection
// and the polling of SRV records without events.

/** The base of the events of server selection. */
export abstract class ServerSelectionEvent {
  /** The read preference, or a text that describes the selector. */
  readonly selector: unknown;
  /** The name of the operation. */
  readonly operation: string;
  /** The deployment as the driver knew it. */
  readonly topologyDescription: unknown;
  /** The name of the event. */
  abstract readonly name: string;
  /** The text of the log message. */
  abstract readonly message: string;

  /** Creates an event. */
  constructor(selector: unknown, topologyDescription: unknown, operation: string) {
    this.selector = selector;
    this.operation = operation;
    this.topologyDescription = topologyDescription;
  }
}

/** Server selection has started. */
export class ServerSelectionStartedEvent extends ServerSelectionEvent {
  /** The name of the event. */
  readonly name = 'serverSelectionStarted';
  /** The text of the log message. */
  readonly message = 'Server selection started';
}

/** Server selection has failed. */
export class ServerSelectionFailedEvent extends ServerSelectionEvent {
  /** The name of the event. */
  readonly name = 'serverSelectionFailed';
  /** The text of the log message. */
  readonly message = 'Server selection failed';
  /** The error. */
  readonly failure: Error;

  /** Creates an event. */
  constructor(selector: unknown, topologyDescription: unknown, failure: Error, operation: string) {
    super(selector, topologyDescription, operation);
    this.failure = failure;
  }
}

/** A server was selected. */
export class ServerSelectionSucceededEvent extends ServerSelectionEvent {
  /** The name of the event. */
  readonly name = 'serverSelectionSucceeded';
  /** The text of the log message. */
  readonly message = 'Server selection succeeded';
  /** The host of the server. */
  readonly serverHost: string | undefined;
  /** The port of the server. */
  readonly serverPort: number | undefined;

  /** Creates an event. @param address `host:port` of the server */
  constructor(selector: unknown, topologyDescription: unknown, address: string, operation: string) {
    super(selector, topologyDescription, operation);
    const colon = address.lastIndexOf(':');
    this.serverHost = colon < 0 ? address : address.slice(0, colon);
    this.serverPort = colon < 0 ? undefined : Number(address.slice(colon + 1));
  }
}

/** No server is suitable yet. */
export class WaitingForSuitableServerEvent extends ServerSelectionEvent {
  /** The name of the event. */
  readonly name = 'waitingForSuitableServer';
  /** The text of the log message. */
  readonly message = 'Waiting for suitable server to become available';
  /** The time in milliseconds until server selection fails. */
  readonly remainingTimeMS: number;

  /** Creates an event. */
  constructor(selector: unknown, topologyDescription: unknown, remainingTimeMS: number, operation: string) {
    super(selector, topologyDescription, operation);
    this.remainingTimeMS = remainingTimeMS;
  }
}

/** A record of a DNS service. */
interface SrvRecord {
  /** The host name. */
  readonly name: string;
  /** The port. */
  readonly port: number;
}

/** The SRV records of a connection string have changed. */
export class SrvPollingEvent {
  /** The new records. */
  readonly srvRecords: readonly SrvRecord[];

  /** Creates an event. */
  constructor(srvRecords: readonly SrvRecord[]) {
    this.srvRecords = srvRecords;
  }

  /** Returns the addresses in the records, each as `host:port`. */
  hostnames(): Set<string> {
    return new Set(this.srvRecords.map(({ name, port }) => `${name}:${port}`));
  }
}

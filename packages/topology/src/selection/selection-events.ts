import type {
  Address,
  EventMap,
  EventSink,
  Millis,
  MongoError,
  Request,
  Server,
  TopologyDescription,
} from '@tessera/contracts';

/** Emits the events of Server Selection, "Logging", each only if a listener wants it. */
export class SelectionEvents {
  readonly #events: EventSink;
  readonly #topology: () => TopologyDescription;

  constructor(events: EventSink, topology: () => TopologyDescription) {
    this.#events = events;
    this.#topology = topology;
  }

  started(request: Request<unknown>): void {
    if (!this.#events.wants('serverSelectionStarted')) return;
    this.#events.emit({ name: 'serverSelectionStarted', ...this.#of(request) });
  }

  succeeded(request: Request<unknown>, address: Address): void {
    if (!this.#events.wants('serverSelectionSucceeded')) return;
    this.#events.emit({ name: 'serverSelectionSucceeded', ...this.#of(request), address });
  }

  failed(request: Request<unknown>, failure: MongoError): void {
    if (!this.#events.wants('serverSelectionFailed')) return;
    this.#events.emit({ name: 'serverSelectionFailed', ...this.#of(request), failure });
  }

  waiting(request: Request<unknown>, remainingTimeMS: Millis): void {
    if (!this.#events.wants('waitingForSuitableServer')) return;
    this.#events.emit({ name: 'waitingForSuitableServer', ...this.#of(request), remainingTimeMS });
  }

  /** Emits the end of a selection that had to wait. */
  settled(request: Request<unknown>, outcome: Server | MongoError): void {
    if ('description' in outcome) this.succeeded(request, outcome.description.address);
    else this.failed(request, outcome);
  }

  #of({ operation, id }: Request<unknown>): EventMap['serverSelectionStarted'] {
    return {
      selector: operation.selection,
      operation: operation.name,
      operationId: id,
      topologyDescription: this.#topology(),
    };
  }
}

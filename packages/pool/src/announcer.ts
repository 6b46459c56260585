import type {
  Address,
  DriverEvent,
  EventMap,
  EventName,
  EventSink,
  Millis,
  MongoError,
  ObjectId,
  PoolOptions,
} from '@tessera/contracts';
import type { PooledLease } from './lease.js';
import { nonDefaultOptions } from './options.js';

export type ClosedReason = EventMap['connectionClosed']['reason'];
export type FailedReason = EventMap['connectionCheckOutFailed']['reason'];

/** Emits the events of a pool. An event is only built if the sink wants it. Rule: CMAP, "Events". */
export class Announcer {
  readonly #events: EventSink;
  readonly #address: Address;

  constructor(events: EventSink, address: Address) {
    this.#events = events;
    this.#address = address;
  }

  poolCreated(options: PoolOptions): void {
    this.#emit('connectionPoolCreated', () => ({
      name: 'connectionPoolCreated',
      address: this.#address,
      options: nonDefaultOptions(options),
    }));
  }

  poolReady(): void {
    this.#emit('connectionPoolReady', () => ({ name: 'connectionPoolReady', address: this.#address }));
  }

  poolCleared(serviceId: ObjectId | undefined, interruptInUseConnections: boolean): void {
    this.#emit('connectionPoolCleared', () => ({
      name: 'connectionPoolCleared',
      address: this.#address,
      serviceId,
      interruptInUseConnections,
    }));
  }

  poolClosed(): void {
    this.#emit('connectionPoolClosed', () => ({ name: 'connectionPoolClosed', address: this.#address }));
  }

  created({ id }: PooledLease): void {
    this.#emit('connectionCreated', () => ({
      name: 'connectionCreated',
      address: this.#address,
      connectionId: id,
    }));
  }

  ready({ id, serviceId }: PooledLease, durationMS: Millis): void {
    this.#emit('connectionReady', () => ({
      name: 'connectionReady',
      address: this.#address,
      connectionId: id,
      serviceId,
      durationMS,
    }));
  }

  closed({ id, serviceId }: PooledLease, reason: ClosedReason, error: MongoError | undefined): void {
    this.#emit('connectionClosed', () => ({
      name: 'connectionClosed',
      address: this.#address,
      connectionId: id,
      serviceId,
      reason,
      error,
    }));
  }

  checkOutStarted(): void {
    if (!this.#events.wants('connectionCheckOutStarted')) return;
    this.#events.emit({ name: 'connectionCheckOutStarted', address: this.#address });
  }

  checkOutFailed(reason: FailedReason, durationMS: Millis, error: MongoError): void {
    this.#emit('connectionCheckOutFailed', () => ({
      name: 'connectionCheckOutFailed',
      address: this.#address,
      reason,
      error,
      durationMS,
    }));
  }

  checkedOut(lease: PooledLease, durationMS: Millis): void {
    if (!this.#events.wants('connectionCheckedOut')) return;
    this.#events.emit({
      name: 'connectionCheckedOut',
      address: this.#address,
      connectionId: lease.id,
      serviceId: lease.serviceId,
      durationMS,
    });
  }

  checkedIn(lease: PooledLease): void {
    if (!this.#events.wants('connectionCheckedIn')) return;
    this.#events.emit({
      name: 'connectionCheckedIn',
      address: this.#address,
      connectionId: lease.id,
      serviceId: lease.serviceId,
    });
  }

  /** Emits a rare event. The three events of every operation avoid its closure. */
  #emit(name: EventName, event: () => DriverEvent): void {
    if (this.#events.wants(name)) this.#events.emit(event());
  }
}

import type { ObjectId } from '@tessera/contracts';

interface Service {
  generation: number;
  connections: number;
}

/**
 * Which connections are stale. Behind a load balancer each service has a generation of its own, forgotten with its last
 * connection; a number is never used twice, so that what is known of an old connection cannot be taken for a new one.
 * Rule: CMAP, "Load Balancer Mode".
 */
export class Generations {
  /** Of the pool itself. */
  current = 0;
  #clearedServices = 0;
  readonly #services = new Map<string, Service>();

  /** That of the service, or of the pool. */
  of(serviceId: ObjectId | undefined): number {
    if (serviceId === undefined) return this.current;
    return this.#services.get(serviceId.toHexString())?.generation ?? this.#clearedServices;
  }

  /** A connection to this service was made; answers its generation. */
  join(serviceId: ObjectId): number {
    const key = serviceId.toHexString();
    const service = this.#services.get(key) ?? { generation: this.#clearedServices, connections: 0 };
    service.connections += 1;
    this.#services.set(key, service);
    return service.generation;
  }

  /** A connection to this service is closed. */
  leave(serviceId: ObjectId): void {
    const key = serviceId.toHexString();
    const service = this.#services.get(key);
    if (service === undefined) return;
    service.connections -= 1;
    if (service.connections === 0) this.#services.delete(key);
  }

  /** All connections made so far, or those to this service, are stale. */
  advance(serviceId: ObjectId | undefined): void {
    if (serviceId === undefined) {
      this.current += 1;
      return;
    }
    this.#clearedServices += 1;
    const service = this.#services.get(serviceId.toHexString());
    if (service !== undefined) service.generation = this.#clearedServices;
  }
}

import type { ObjectId } from '@tessera/contracts';

interface Service {
  generation: number;
  connections: number;
}

/**
 * The generations of a pool, which determine the stale connections. Behind a load balancer each service has its own generation,
 * which is deleted with its last connection. A number is never reused, so an old connection is never taken for a current one.
 * Rule: CMAP, "Load Balancer Mode".
 */
export class Generations {
  /** The generation of the pool itself. */
  current = 0;
  #clearedServices = 0;
  readonly #services = new Map<string, Service>();

  /** Returns the generation of the service, or of the pool if `serviceId` is undefined. */
  of(serviceId: ObjectId | undefined): number {
    if (serviceId === undefined) return this.current;
    return this.#services.get(serviceId.toHexString())?.generation ?? this.#clearedServices;
  }

  /** Counts a new connection to this service and returns its generation. */
  join(serviceId: ObjectId): number {
    const key = serviceId.toHexString();
    const service = this.#services.get(key) ?? { generation: this.#clearedServices, connections: 0 };
    service.connections += 1;
    this.#services.set(key, service);
    return service.generation;
  }

  /** Removes a closed connection to this service from the count. */
  leave(serviceId: ObjectId): void {
    const key = serviceId.toHexString();
    const service = this.#services.get(key);
    if (service === undefined) return;
    service.connections -= 1;
    if (service.connections === 0) this.#services.delete(key);
  }

  /** Makes all existing connections stale, or those to this service. */
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

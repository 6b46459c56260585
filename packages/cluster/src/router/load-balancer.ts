import type { Address, Listener, Listening, Socket } from '@tessera/contracts';
import type { MongosServer } from './mongos-process.js';

/**
 * Accepts connections at one address and assigns them to the mongoses in turn. Rule: Load Balancers,
 * "connection-level".
 */
export class LoadBalancer {
  readonly #services: readonly MongosServer[];
  #next = 0;

  /** @throws RangeError without a mongos */
  constructor(services: readonly MongosServer[]) {
    if (services.length === 0) throw new RangeError('A load balancer needs at least one mongos.');
    this.#services = services;
  }

  /**
   * Assigns a connection to the next running mongos that has room. If all are full, one of them closes the connection. If
   * none is running, the load balancer resets it.
   */
  accept(socket: Socket): void {
    const all = this.#services;
    let full: MongosServer | undefined;
    for (let tries = 0; tries < all.length; tries++) {
      const service = all[this.#next++ % all.length]!;
      if (!service.isRunning) continue;
      if (!service.isFull) return service.accept(socket, { isBalanced: true });
      full = service;
    }
    if (full !== undefined) return full.accept(socket, { isBalanced: true });
    if (socket.reset === undefined) socket.destroy();
    else socket.reset();
  }

  /**
   * @param most the maximum number of open connections
   * @throws MongoError `network` if the address is not available
   */
  listen(listener: Listener, at: Address, most: number): Promise<Listening> {
    return listener.listen(at, socket => this.accept(socket), { most });
  }
}

import { Handle } from './handle.js';
import type { ResolvedOptions, Origin } from './resolved-options.js';

/** The client as its databases see it. */
export interface Client extends Origin {
  readonly handles: Handles;
}

/** Of how many databases and collections the handles are kept. */
const maxHandles = 256;

/**
 * The handles of a client, by namespace: `db()` and `collection()` may be called for every operation, and what was
 * prepared for a collection and learned of its documents is found again.
 */
export class Handles {
  readonly #origin: Origin;
  readonly #resolved: ResolvedOptions;
  readonly #forceServerObjectId: boolean;
  readonly #handles = new Map<string, Handle>();

  constructor(origin: Origin, resolved: ResolvedOptions, forceServerObjectId: boolean) {
    this.#origin = origin;
    this.#resolved = resolved;
    this.#forceServerObjectId = forceServerObjectId;
  }

  /** The handle under the client's own options. The name of a collection is empty for its database. */
  of(db: string, collection: string): Handle {
    const namespace = `${db}.${collection}`;
    const known = this.#handles.get(namespace);
    if (known !== undefined) return known;
    const handle = new Handle(this.#origin, db, collection, this.#resolved, this.#forceServerObjectId);
    if (this.#handles.size >= maxHandles) this.#forgetOldest();
    this.#handles.set(namespace, handle);
    return handle;
  }

  #forgetOldest(): void {
    const [oldest] = this.#handles.keys();
    if (oldest !== undefined) this.#handles.delete(oldest);
  }
}

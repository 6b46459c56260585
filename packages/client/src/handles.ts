import { Handle } from './handle.js';
import type { Inherited, Origin } from './inherited.js';

/** The client as its databases see it. */
export interface Client extends Origin {
  readonly handles: Handles;
}

/** Of how many databases and collections the handles are kept. */
const most = 256;

/**
 * The handles of a client, by namespace: `db()` and `collection()` may be called for every operation, and what was
 * prepared for a collection and learned of its documents is found again.
 */
export class Handles {
  readonly #origin: Origin;
  readonly #inherited: Inherited;
  readonly #forceServerObjectId: boolean;
  readonly #known = new Map<string, Handle>();

  constructor(origin: Origin, inherited: Inherited, forceServerObjectId: boolean) {
    this.#origin = origin;
    this.#inherited = inherited;
    this.#forceServerObjectId = forceServerObjectId;
  }

  /** The handle under the client's own options. The name of a collection is empty for its database. */
  of(db: string, collection: string): Handle {
    const namespace = `${db}.${collection}`;
    const known = this.#known.get(namespace);
    if (known !== undefined) return known;
    const handle = new Handle(this.#origin, db, collection, this.#inherited, this.#forceServerObjectId);
    if (this.#known.size >= most) this.#forgetOldest();
    this.#known.set(namespace, handle);
    return handle;
  }

  #forgetOldest(): void {
    const [oldest] = this.#known.keys();
    if (oldest !== undefined) this.#known.delete(oldest);
  }
}

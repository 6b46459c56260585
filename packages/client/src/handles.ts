import { Handle } from './handle.js';
import type { ResolvedOptions, Origin } from './resolved-options.js';

/** The members of the client that its databases use. */
export interface Client extends Origin {
  readonly handles: Handles;
}

/** The maximum number of cached handles. */
const maxHandles = 256;

/**
 * The cached handles of a client by namespace. Applications may call `db()` and `collection()` for every operation: a
 * cached handle keeps prepared commands and the learned shapes of documents.
 */
export class Handles {
  readonly #origin: Origin;
  /** The client's own options. */
  readonly resolved: ResolvedOptions;
  readonly #forceServerObjectId: boolean;
  readonly #handles = new Map<string, Handle>();

  constructor(origin: Origin, resolved: ResolvedOptions, forceServerObjectId: boolean) {
    this.#origin = origin;
    this.resolved = resolved;
    this.#forceServerObjectId = forceServerObjectId;
  }

  /** Returns the handle with the client's own options. `collection` is empty for a database. */
  of(db: string, collection: string): Handle {
    const namespace = `${db}.${collection}`;
    const known = this.#handles.get(namespace);
    if (known !== undefined) return known;
    const handle = new Handle(this.#origin, db, collection, this.resolved, this.#forceServerObjectId);
    if (this.#handles.size >= maxHandles) this.#forgetOldest();
    this.#handles.set(namespace, handle);
    return handle;
  }

  #forgetOldest(): void {
    const [oldest] = this.#handles.keys();
    if (oldest !== undefined) this.#handles.delete(oldest);
  }
}

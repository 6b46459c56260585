import type { Doc } from '@tessera/mql/engine';
import { CommandError } from '@tessera/mql/engine';
import type { DatabaseValue, Namespace } from '../database.js';
import type { OpTime } from '../op-time.js';
import type { SessionWrites } from '../session-writes.js';
import { Tree } from '../tree.js';
import type { ReadChange } from './change-bytes.js';
import { changesIn, UnknownContent } from './change-bytes.js';
import type { CollectionId } from './changes.js';
import { idOfPinned } from './changes.js';
import type { Definitions } from './described.js';
import { idIn, indexesIn, restoredNamespace } from './described.js';

const treeOf = <V>(entries: ReadonlyMap<string, V>, what: string): Tree<V> => {
  const keys = [...entries.keys()].sort();
  return Tree.ofSorted(
    keys,
    keys.map(key => entries.get(key)!),
    { for: what },
  );
};

/**
 * Restores a namespace.
 * @throws UnknownContent for a feature that this version does not have, because a later version may have written the
 * file
 */
const restored = (
  definitions: Definitions,
  ns: string,
  described: Doc,
  records: Tree<Doc>,
  pinned: Tree<Doc>,
): Namespace => {
  try {
    return restoredNamespace(definitions, described, records, pinned);
  } catch (error) {
    if (error instanceof CommandError)
      throw new UnknownContent(`the definition of the collection ${ns} (error: ${error.message})`);
    throw error;
  }
};

/** Replays the commits of a file, and builds a value of the data at the end. */
export class Recovered {
  readonly #namespaces = new Map<string, Doc>();
  readonly #records = new Map<CollectionId, Tree<Doc>>();
  readonly #edit = { for: 'records on disk' };
  /** The last name of each collection. */
  readonly #nameOf = new Map<CollectionId, string>();
  readonly #writes = new Map<string, SessionWrites>();
  #at: OpTime | undefined;

  /**
   * Applies a commit.
   * @param contents the contents of its frames
   * @throws UnknownContent, CommandError 22
   */
  apply(contents: readonly Uint8Array[]): void {
    /** Collections that may have lost their name. */
    const left = new Set<CollectionId>();
    for (const content of contents) for (const change of changesIn(content)) this.#apply(change, left);
    for (const id of left) {
      const name = this.#nameOf.get(id)!;
      const described = this.#namespaces.get(name);
      if (described !== undefined && idIn(described) === id) continue;
      this.#nameOf.delete(id);
      this.#records.delete(id);
      this.#records.delete(idOfPinned(id));
    }
  }

  #recordsOf(id: CollectionId): Tree<Doc> {
    return this.#records.get(id) ?? Tree.empty();
  }

  #leave(ns: string, left: Set<CollectionId>): void {
    const described = this.#namespaces.get(ns);
    const id = described && idIn(described);
    if (id !== undefined) left.add(id);
  }

  #apply(change: ReadChange, left: Set<CollectionId>): void {
    switch (change.kind) {
      case 'namespace': {
        const ns = change.described.get('ns') as string;
        this.#leave(ns, left);
        this.#namespaces.set(ns, change.described);
        const id = idIn(change.described);
        if (id !== undefined) this.#nameOf.set(id, ns);
        return;
      }
      case 'gone':
        this.#leave(change.ns, left);
        this.#namespaces.delete(change.ns);
        return;
      case 'put':
        this.#records.set(
          change.collection,
          this.#recordsOf(change.collection).set(change.record, change.doc, this.#edit),
        );
        return;
      case 'removed':
        this.#records.set(change.collection, this.#recordsOf(change.collection).delete(change.record, this.#edit));
        return;
      case 'session':
        this.#writes.set(change.session, change.writes);
        return;
      case 'forgotten':
        this.#writes.delete(change.session);
        return;
      case 'at':
        this.#at = change.at;
    }
  }

  /** The specifications of all indexes. */
  get indexes(): readonly Doc[] {
    return [...this.#namespaces.values()].flatMap(indexesIn);
  }

  /** Returns the data. @throws UnknownContent for a collection that this version cannot restore */
  value(definitions: Definitions): DatabaseValue {
    const namespaces = new Map<string, Namespace>();
    for (const [ns, described] of this.#namespaces) {
      const id = idIn(described);
      const [records, pinned] =
        id === undefined
          ? [Tree.empty<Doc>(), Tree.empty<Doc>()]
          : [this.#recordsOf(id), this.#recordsOf(idOfPinned(id))];
      namespaces.set(ns, restored(definitions, ns, described, records, pinned));
    }
    return {
      namespaces: treeOf(namespaces, 'namespaces on disk'),
      writes: treeOf(this.#writes, 'sessions on disk'),
      at: this.#at,
    };
  }
}

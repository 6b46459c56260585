import { Doc, detached, parseQuery } from '@tessera/mql/engine';
import type { Collection, Row, DatabaseValue } from '@tessera/store';
import { emptyCollection, select, isView } from '@tessera/store';
import type { Draft } from './database.js';
import type { Engine } from './engine.js';
import { insertInto, plainSettings, removeRow, replaceRow } from './writer.js';

const unchecked = { unchecked: true };

const byId = (id: string): ReturnType<typeof parseQuery> => parseQuery(Doc.of([['_id', Doc.of([['$eq', id]])]]));

/**
 * A collection in which the server stores its own state, such as users. As part of the data, it is replicated, saved to
 * disk, and rolled back with it.
 */
export class OwnDocuments {
  readonly #engine: Engine;
  readonly #ns: string;
  #seen: DatabaseValue | undefined;
  #records: Collection['records'] | undefined;

  constructor(engine: Engine, ns: string) {
    this.#engine = engine;
    this.#ns = ns;
  }

  /** The records of the collection. The object stays the same until a record changes. */
  get records(): Collection['records'] | undefined {
    const { value } = this.#engine;
    if (value !== this.#seen) {
      const namespace = value.namespaces.get(this.#ns);
      this.#records = isView(namespace) ? undefined : namespace?.records;
      this.#seen = value;
    }
    return this.#records;
  }

  /** The wall clock's time, in milliseconds since 1970. */
  get nowMs(): number {
    return this.#engine.clock.wallTime();
  }

  *[Symbol.iterator](): Iterator<Doc> {
    for (const [, doc] of this.records ?? []) yield doc;
  }

  #row(draft: Draft, id: string): { readonly collection: Collection; readonly row: Row | undefined } {
    let collection = draft.collection(this.#ns);
    if (collection === undefined) {
      collection = emptyCollection(plainSettings(this.#engine, this.#ns));
      draft.create(collection);
    }
    const selection = { matcher: byId(id), sort: undefined, hint: undefined, collation: undefined };
    return { collection, row: select(collection, selection, 1)[0] };
  }

  /**
   * Stores a document, in place of any document with the same `_id`.
   * @throws CommandError 14031, 39 while data cannot be saved
   */
  put(doc: Doc): void {
    const stored = detached(doc);
    this.#engine.change(this.#ns, draft => {
      const { collection, row } = this.#row(draft, doc.get('_id') as string);
      if (row === undefined) insertInto(draft, collection, stored, unchecked);
      else replaceRow(draft, collection, { row, after: stored, change: { by: 'replacement' } }, unchecked);
    });
  }

  /** Removes a document. @throws CommandError 14031, 39 while data cannot be saved */
  remove(id: string): void {
    if (this.records === undefined) return;
    this.#engine.change(this.#ns, draft => {
      const { collection, row } = this.#row(draft, id);
      if (row !== undefined) removeRow(draft, collection, row);
    });
  }
}

import { Doc, detached, parseQuery } from '@tessera/mql/engine';
import type { DatabaseValue, Draft } from './database.js';
import { isView } from './database.js';
import type { Engine } from './engine.js';
import type { Row } from './select.js';
import { select } from './select.js';
import { insertInto, plainSettings, removeRow, replaceRow } from './writer.js';
import type { Collection } from '../store/collection.js';
import { emptyCollection } from '../store/collection.js';

const unchecked = { unchecked: true };

const byId = (id: string): ReturnType<typeof parseQuery> => parseQuery(Doc.of([['_id', Doc.of([['$eq', id]])]]));

/**
 * A collection in which the server keeps what it knows of itself. Being part of the data, it goes wherever the data goes: to other members,
 * to disk, and back if it is rolled back.
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

  /** What it has; the very same as long as nothing in it is changed. */
  get records(): Collection['records'] | undefined {
    const { value } = this.#engine;
    if (value !== this.#seen) {
      const namespace = value.namespaces.get(this.#ns);
      this.#records = isView(namespace) ? undefined : namespace?.records;
      this.#seen = value;
    }
    return this.#records;
  }

  /** By the clock that it is kept by, in milliseconds since 1970. */
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

  /** Puts a document in the place of that with the same `_id`, if there is one. @throws CommandError 14031, 39 while nothing can be saved */
  put(doc: Doc): void {
    const stored = detached(doc);
    this.#engine.change(this.#ns, draft => {
      const { collection, row } = this.#row(draft, doc.get('_id') as string);
      if (row === undefined) insertInto(draft, collection, stored, unchecked);
      else replaceRow(draft, collection, { row, after: stored, change: { by: 'replacement' } }, unchecked);
    });
  }

  /** @throws CommandError 14031, 39 while nothing can be saved */
  remove(id: string): void {
    if (this.records === undefined) return;
    this.#engine.change(this.#ns, draft => {
      const { collection, row } = this.#row(draft, id);
      if (row !== undefined) removeRow(draft, collection, row);
    });
  }
}

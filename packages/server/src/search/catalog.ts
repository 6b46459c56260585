import type { Millis } from '@tessera/contracts';
import type { BinaryValue, Value } from '@tessera/mql/engine';
import { DateValue, Doc, equal, toHex } from '@tessera/mql/engine';
import type { Engine } from '../engine/engine.js';
import { OwnDocuments } from '../engine/own-documents.js';

export type IndexType = 'search' | 'vectorSearch';

/** The definition of a search index. */
export interface SearchEntry {
  /** 24 hexadecimal digits. */
  readonly id: string;
  /** The UUID of the collection, which a rename keeps. */
  readonly collection: BinaryValue;
  readonly name: string;
  readonly type: IndexType;
  readonly definition: Doc;
  /** The number of the definition, from 0 on. */
  readonly version: number;
  /** The wall clock's time of the definition, in milliseconds since 1970. */
  readonly definedAt: number;
  /** The wall clock's time at which the index was dropped. */
  readonly droppedAt: number | undefined;
}

export type IndexStatus = 'BUILDING' | 'DELETING' | 'PENDING' | 'READY';

/** The collection with the definitions. Like other data, they are replicated and saved. */
export const searchCatalog = 'config.searchIndexes';

const timeOf = (value: Value | undefined): number | undefined => (value instanceof DateValue ? value.ms : undefined);

const entryOf = (doc: Doc): SearchEntry => ({
  id: doc.get('_id') as string,
  collection: doc.get('collection') as BinaryValue,
  name: doc.get('name') as string,
  type: doc.get('type') as IndexType,
  definition: doc.get('definition') as Doc,
  version: doc.get('version') as number,
  definedAt: timeOf(doc.get('definedAt')) ?? 0,
  droppedAt: timeOf(doc.get('droppedAt')),
});

const docOf = ({ id, definedAt, droppedAt, collection, name, type, definition, version }: SearchEntry): Doc =>
  Doc.of([
    ['_id', id],
    ['collection', collection],
    ['name', name],
    ['type', type],
    ['definition', definition],
    ['version', version],
    ['definedAt', new DateValue(definedAt)],
    ...(droppedAt === undefined ? [] : [['droppedAt', new DateValue(droppedAt)] as const]),
  ]);

/** The search indexes of all collections. */
export class SearchCatalog {
  readonly #engine: Engine;
  readonly #documents: OwnDocuments;
  /** How long an index is built, in milliseconds. */
  readonly #building: Millis;

  constructor(engine: Engine, building: Millis) {
    this.#engine = engine;
    this.#documents = new OwnDocuments(engine, searchCatalog);
    this.#building = building;
  }

  get #now(): number {
    return this.#engine.clock.wallTime();
  }

  /** Returns the indexes of a collection, sorted by their ids. Indexes that were dropped long ago are omitted. */
  of(collection: BinaryValue): readonly SearchEntry[] {
    return [...this.#documents]
      .map(entryOf)
      .filter(entry => equal(entry.collection, collection) && !this.#isGone(entry));
  }

  #isGone({ droppedAt }: SearchEntry): boolean {
    return droppedAt !== undefined && this.#now - droppedAt >= this.#building;
  }

  /** Returns the index of a collection with this name, unless it was dropped. */
  named(collection: BinaryValue, name: string): SearchEntry | undefined {
    return this.of(collection).find(entry => entry.name === name && entry.droppedAt === undefined);
  }

  statusOf({ definedAt, droppedAt }: SearchEntry): IndexStatus {
    if (droppedAt !== undefined) return 'DELETING';
    const age = this.#now - definedAt;
    if (age >= this.#building) return 'READY';
    return age < this.#building / 2 ? 'PENDING' : 'BUILDING';
  }

  /** Whether queries may use the index. While a new definition is built, they use it already. */
  isQueryable(entry: SearchEntry): boolean {
    const status = this.statusOf(entry);
    return status === 'READY' || (entry.version > 0 && status !== 'DELETING');
  }

  create(made: Pick<SearchEntry, 'collection' | 'definition' | 'name' | 'type'>): SearchEntry {
    for (const old of [...this.#documents].map(entryOf)) if (this.#isGone(old)) this.#documents.remove(old.id);
    const id = toHex(this.#engine.newObjectId().bytes);
    const entry: SearchEntry = { ...made, id, version: 0, definedAt: this.#now, droppedAt: undefined };
    this.#documents.put(docOf(entry));
    return entry;
  }

  update(entry: SearchEntry, definition: Doc): void {
    this.#documents.put(docOf({ ...entry, definition, version: entry.version + 1, definedAt: this.#now }));
  }

  drop(entry: SearchEntry): void {
    if (this.#building > 0) this.#documents.put(docOf({ ...entry, droppedAt: this.#now }));
    else this.#documents.remove(entry.id);
  }
}

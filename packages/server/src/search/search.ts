import type { Doc, Pieces } from '@tessera/mql/engine';
import { isDue, pause } from '@tessera/mql/engine';
import type { SearchIndex, VectorIndex } from '@tessera/search';
import type { Collection } from '@tessera/store';
import { Tree, differences } from '@tessera/store';
import type { Engine } from '../engine/engine.js';
import type { SearchEntry } from './catalog.js';
import { loaded } from '../engine/loading.js';
import { SearchCatalog } from './catalog.js';
import { plainDocument } from './plain-values.js';

type Library = typeof import('@tessera/search');

/** An index of one definition. */
export type BuiltIndex =
  | { readonly type: 'search'; readonly index: SearchIndex }
  | { readonly type: 'vectorSearch'; readonly index: VectorIndex };

interface Built {
  readonly version: number;
  readonly built: BuiltIndex;
  /** The documents in the index. */
  records: Collection['records'];
  /** Whether a command is adding documents. */
  isBusy: boolean;
}

/** The options of search indexes. */
export interface SearchOptions {
  /**
   * How long a new index is `PENDING` and `BUILDING` before it is `READY`, and a dropped one `DELETING`, in
   * milliseconds. A query of an index that is not ready fails. Default: 0, indexes are ready at once.
   */
  readonly buildMS?: number;
}

/** The search indexes of a server. The library is loaded with the first definition or query. */
export class Search {
  readonly catalog: SearchCatalog;
  readonly #engine: Engine;
  #library: Library | undefined;
  readonly #built = new Map<string, Built>();

  constructor(engine: Engine, { buildMS = 0 }: SearchOptions) {
    this.#engine = engine;
    this.catalog = new SearchCatalog(engine, buildMS);
  }

  get isLoaded(): boolean {
    return this.#library !== undefined;
  }

  async load(): Promise<void> {
    this.#library = await loaded(this.#engine, import('@tessera/search'));
  }

  /** Returns the message of the library's error, or undefined for any other error. */
  problemOf(error: unknown): string | undefined {
    return error instanceof this.#library!.SearchError ? error.message : undefined;
  }

  /** Creates an empty index. @throws SearchError if the definition is invalid */
  create(
    { type, definition }: Pick<SearchEntry, 'definition' | 'type'>,
    synonyms: (name: string) => Iterable<Doc>,
  ): BuiltIndex {
    const library = this.#library!;
    const plain = plainDocument(definition);
    if (type === 'vectorSearch') return { type, index: library.createVectorIndex(plain) };
    const documents = function* (name: string): Generator<Record<string, unknown>> {
      for (const doc of synonyms(name)) yield plainDocument(doc);
    };
    return { type, index: library.createSearchIndex(plain, { synonyms: documents }) };
  }

  /** Returns an index with the documents of a version of the collection. Only the difference to the last one is added. */
  *indexOf(entry: SearchEntry, { records }: Collection, synonyms: (name: string) => Iterable<Doc>): Pieces<BuiltIndex> {
    for (;;) {
      let state = this.#built.get(entry.id);
      if (state?.isBusy === true) {
        yield pause;
        continue;
      }
      if (state?.version !== entry.version) {
        const built = this.create(entry, synonyms);
        state = { version: entry.version, built, records: Tree.empty(), isBusy: false };
        this.#built.set(entry.id, state);
      }
      if (state.records === records) return state.built;
      state.isBusy = true;
      try {
        const { index } = state.built;
        for (const { key, after } of differences(state.records, records)) {
          if (after === undefined) index.delete(key);
          else index.set(key, plainDocument(after));
          if (isDue()) yield pause;
        }
        state.records = records;
      } finally {
        state.isBusy = false;
        // After an interruption, the index has some of the changes only.
        if (state.records !== records) this.#built.delete(entry.id);
      }
      return state.built;
    }
  }

  /** Forgets an index that was dropped or that has a new definition. */
  forget({ id }: SearchEntry): void {
    this.#built.delete(id);
  }
}

import type { Millis } from '@tessera/contracts';

/** Numbers of documents that commands have written or returned. */
export interface DocumentCounts {
  inserted: number;
  updated: number;
  deleted: number;
  returned: number;
}

/** Adds the documents that a draft has written. */
export const addWritten = (
  counts: DocumentCounts,
  { inserted, updated, deleted }: Omit<DocumentCounts, 'returned'>,
): void => {
  counts.inserted += inserted;
  counts.updated += updated;
  counts.deleted += deleted;
};

export const noDocuments = (): DocumentCounts => ({ inserted: 0, updated: 0, deleted: 0, returned: 0 });

/** How a command counts: its operation in `top`, and its group of latencies. */
interface Kind {
  readonly operation: 'queries' | 'getmore' | 'insert' | 'update' | 'remove' | 'commands';
  readonly group: 'reads' | 'writes';
}

const kindsOf = (group: Kind['group'], operations: Readonly<Record<string, Kind['operation']>>) =>
  Object.entries(operations).map(([name, operation]): [string, Kind] => [name, { operation, group }]);

const kinds: ReadonlyMap<string, Kind> = new Map([
  ...kindsOf('reads', {
    find: 'queries',
    getMore: 'getmore',
    aggregate: 'commands',
    count: 'commands',
    distinct: 'commands',
  }),
  ...kindsOf('writes', { insert: 'insert', update: 'update', delete: 'remove', findAndModify: 'commands' }),
]);

/** A number of operations and the time that they took. */
export interface Measure {
  count: number;
  time: Millis;
}

const nothing = (): Measure => ({ count: 0, time: 0 });

/** The operations on one collection. */
export interface CollectionUse {
  readonly operations: Readonly<Record<Kind['operation'], Measure>>;
  readonly reads: Measure;
  readonly writes: Measure;
}

const unused = (): CollectionUse => ({
  operations: {
    ...{ queries: nothing(), getmore: nothing(), insert: nothing(), update: nothing(), remove: nothing() },
    commands: nothing(),
  },
  reads: nothing(),
  writes: nothing(),
});

const add = (measure: Measure, time: Millis): void => {
  measure.count += 1;
  measure.time += time;
};

/** The commands that a server has executed since its start, with their times. */
export class Usage {
  readonly reads: Measure = nothing();
  readonly writes: Measure = nothing();
  readonly others: Measure = nothing();
  /** The numbers of failed commands by name. */
  readonly failed: Map<string, number> = new Map<string, number>();
  readonly #collections = new Map<string, CollectionUse>();

  /** @param collection the value of the field that names the collection */
  executed(name: string, db: string, collection: unknown, time: Millis): void {
    const kind = kinds.get(name);
    if (kind === undefined) return add(this.others, time);
    add(this[kind.group], time);
    if (typeof collection !== 'string') return;
    const ns = `${db}.${collection}`;
    let use = this.#collections.get(ns);
    if (use === undefined) this.#collections.set(ns, (use = unused()));
    add(use[kind.group], time);
    add(use.operations[kind.operation], time);
  }

  hasFailed(name: string): void {
    this.failed.set(name, (this.failed.get(name) ?? 0) + 1);
  }

  /** Returns the operations on a collection; zeros if there were none. */
  of(ns: string): CollectionUse {
    return this.#collections.get(ns) ?? unused();
  }

  clear(): void {
    for (const measure of [this.reads, this.writes, this.others]) Object.assign(measure, nothing());
    this.failed.clear();
    this.#collections.clear();
  }
}

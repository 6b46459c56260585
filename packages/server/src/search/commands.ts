import type { Soon } from '@tessera/contracts';
import type { Doc } from '@tessera/mql/engine';
import { Doc as Document, compare, fail, refusedStages } from '@tessera/mql/engine';
import type { Collection } from '@tessera/store';
import { isView } from '@tessera/store';
import type { Call, Command, Fields, Reply } from '../commands/command.js';
import { command, namespaceOf, valueOf } from '../commands/command.js';
import { openList } from '../commands/cursor-reply.js';
import type { Args, Schema } from '../commands/schema.js';
import { any, integer, object, required, string, structure, structures } from '../commands/schema.js';
import type { IndexType, SearchEntry } from './catalog.js';
import type { Search } from './search.js';
import { listedIndexes } from './stages.js';

const defaultName = 'default';

/** Returns the collection of a command. @throws CommandError 26, 166 */
const collectionIn = (call: Call): Collection => {
  const ns = namespaceOf(call);
  const namespace = valueOf(call).namespaces.get(ns);
  if (namespace === undefined) throw fail('NamespaceNotFound', `Collection '${ns}' does not exist.`);
  if (isView(namespace)) throw fail('CommandNotSupportedOnView', `Namespace ${ns} is a view, not a collection`);
  return namespace;
};

const typeIn = (type: string | undefined): IndexType => {
  if (type === undefined || type === 'search') return 'search';
  if (type === 'vectorSearch') return type;
  throw fail('BadValue', `Search index type "${type}" must be "search" or "vectorSearch".`);
};

const checked = (search: Search, type: IndexType, definition: Doc): void => {
  try {
    search.create({ type, definition }, () => []);
  } catch (error) {
    const problem = search.problemOf(error);
    throw problem === undefined ? error : fail('BadValue', `Invalid search index definition: ${problem}`);
  }
};

/** Returns the index that a command names. @throws CommandError 9, 27 */
const entryIn = (
  { catalog }: Search,
  { settings: { uuid } }: Collection,
  { id, name }: { readonly id: string | undefined; readonly name: string | undefined },
): SearchEntry => {
  if ((id === undefined) === (name === undefined))
    throw fail('FailedToParse', "Exactly one of 'name' and 'id' must be specified.");
  const entry = catalog
    .of(uuid)
    .find(each => (id === undefined ? each.name === name : each.id === id) && each.droppedAt === undefined);
  if (entry === undefined) throw fail('IndexNotFound', `Search index '${name ?? id!}' does not exist.`);
  return entry;
};

type Run<S extends Schema> = (search: Search, call: Call, args: Args<S>) => Fields | Reply;

/** Defines a command of search indexes. Without the option `search` it fails like a mongod without Atlas Search. */
const searchCommand = <S extends Schema>(
  name: string,
  help: string,
  schema: S,
  run: Run<S>,
  kind: { readonly writeConcern?: true; readonly readConcern?: true } = { writeConcern: true },
): Command =>
  command({
    name,
    since: '7.0',
    lenient: true,
    ...kind,
    help,
    schema,
    run: (call, args): Soon<Fields | Reply> => {
      const { search } = call.server;
      if (search === undefined) throw refusedStages.get('$listSearchIndexes')!.error();
      return search.isLoaded ? run(search, call, args) : search.load().then(() => run(search, call, args));
    },
  });

const createSearchIndexes = searchCommand(
  'createSearchIndexes',
  'Makes search indexes.',
  { indexes: structures({ name: string(), type: string(), definition: required(object()) }) },
  (search, call, { indexes }) => {
    if (indexes === undefined)
      throw fail(40414, "BSON field 'createSearchIndexes.indexes' is missing but a required field");
    const { uuid } = collectionIn(call).settings;
    if (indexes.length === 0) throw fail('BadValue', 'Must specify at least one search index to create');
    for (const { type, definition } of indexes) checked(search, typeIn(type), definition);
    const names = indexes.map(({ name = defaultName }) => name);
    const created = indexes.map(({ name = defaultName, type, definition }, i): Doc => {
      const existing = search.catalog.named(uuid, name);
      const isSame = existing?.type === typeIn(type) && compare(existing.definition, definition) === 0;
      if ((existing !== undefined && !isSame) || names.indexOf(name) < i)
        throw fail('IndexAlreadyExists', `Duplicate Index: search index "${name}" exists already.`);
      const { id } = existing ?? search.catalog.create({ collection: uuid, name, type: typeIn(type), definition });
      return Document.of([
        ['id', id],
        ['name', name],
      ]);
    });
    return [['indexesCreated', created]];
  },
);

const updateSearchIndex = searchCommand(
  'updateSearchIndex',
  'Replaces the definition of a search index.',
  { id: string(), name: string(), definition: object() },
  (search, call, { definition, ...which }) => {
    if (definition === undefined)
      throw fail(40414, "BSON field 'updateSearchIndex.definition' is missing but a required field");
    const entry = entryIn(search, collectionIn(call), which);
    checked(search, entry.type, definition);
    search.catalog.update(entry, definition);
    return [];
  },
);

const dropSearchIndex = searchCommand(
  'dropSearchIndex',
  'Removes a search index.',
  { id: string(), name: string() },
  (search, call, args) => {
    const entry = entryIn(search, collectionIn(call), args);
    search.catalog.drop(entry);
    search.forget(entry);
    return [];
  },
);

const listSearchIndexes = searchCommand(
  'listSearchIndexes',
  'Lists the search indexes of a collection.',
  { id: string(), name: string(), cursor: structure({ batchSize: integer(0) }), comment: any() },
  (_search, call, { id, name, cursor }) =>
    openList(call, namespaceOf(call), listedIndexes(call, { base: collectionIn(call) }, { id, name }), {
      batchSize: cursor?.batchSize,
    }),
  { readConcern: true },
);

export const searchCommands: readonly Command[] = [
  createSearchIndexes,
  dropSearchIndex,
  listSearchIndexes,
  updateSearchIndex,
];

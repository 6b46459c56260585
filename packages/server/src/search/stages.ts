import type { OwnStage, Pause, Value } from '@tessera/mql/engine';
import {
  DateValue,
  Doc,
  double,
  fail,
  isArray,
  isDoc,
  noteMetadata,
  noteSearchMeta,
  typeName,
} from '@tessera/mql/engine';
import type { SearchHit } from '@tessera/search';
import type { Collection, DatabaseValue } from '@tessera/store';
import { isView } from '@tessera/store';
import type { Call } from '../commands/command.js';
import type { Resolved } from '../engine/pipeline.js';
import type { IndexType, SearchEntry } from './catalog.js';
import { docOfPlain, plainDocument } from './plain-values.js';
import type { Search } from './search.js';

/** Returns the documents of another collection of the database, for synonyms. */
const documentsIn = (value: DatabaseValue, db: string) =>
  function* (name: string): Generator<Doc> {
    const namespace = value.namespaces.get(`${db}.${name}`);
    if (namespace !== undefined && !isView(namespace)) for (const [, doc] of namespace.records) yield doc;
  };

const failing = <T>(search: Search, work: () => T): T => {
  try {
    return work();
  } catch (error) {
    const problem = search.problemOf(error);
    throw problem === undefined ? error : fail('UnknownError', problem);
  }
};

/** A query of an existing index. */
interface Asked {
  readonly search: Search;
  readonly collection: Collection;
  readonly entry: SearchEntry;
}

/** Returns the index that a stage names. It does not exist in a missing collection. */
const indexNamed = ({ server: { search } }: Call, { base }: Resolved, name: string): Asked | undefined => {
  if (search === undefined || base === undefined) return undefined;
  const entry = search.catalog.named(base.settings.uuid, name);
  if (entry === undefined) return undefined;
  if (!search.catalog.isQueryable(entry))
    throw fail(
      'UnknownError',
      `Cannot query search index "${name}" while it is in the state ${search.catalog.statusOf(entry)}.`,
    );
  return { search, collection: base, entry };
};

const wrongType = ({ name, type }: SearchEntry, stage: string, wanted: IndexType): Error =>
  fail('UnknownError', `${stage} needs an index of type "${wanted}", but "${name}" is of type "${type}".`);

const namesOf = (hit: SearchHit): ReadonlyMap<string, Value> => {
  const { score, highlights, scoreDetails, sequenceToken } = hit;
  const found: [string, Value][] = [
    ['searchScore', double(score)],
    ['score', double(score)],
    ['searchSequenceToken', sequenceToken],
  ];
  if (highlights !== undefined)
    found.push(['searchHighlights', highlights.map(each => docOfPlain(each).with('score', double(each.score)))]);
  if (scoreDetails !== undefined) {
    const details = docOfPlain(scoreDetails).with('value', double(score));
    found.push(['searchScoreDetails', details], ['scoreDetails', details]);
  }
  return new Map(found);
};

const emptyMeta = Doc.of([['count', Doc.of([['lowerBound', 0n]])]]);

const specOf = (name: string, spec: Value): Doc => {
  if (!isDoc(spec)) throw fail('FailedToParse', `${name} value must be an object. Found: ${typeName(spec)}`);
  return spec;
};

const indexNameIn = (spec: Doc, fallback: string): string => {
  const name = spec.get('index') ?? fallback;
  if (typeof name !== 'string' || name === '') throw fail('UnknownError', '"index" must be a non-empty string.');
  return name;
};

/** The collection that a stage reads, and the data of the command. */
interface Place {
  readonly call: Call;
  readonly resolved: Resolved;
  readonly value: DatabaseValue;
}

/** Returns a view of a stored document. Another query may return the same document with metadata of its own. */
const viewOf = ({ records }: Collection, key: string): Doc => records.get(key)!.view();

const found = function* (
  { call, resolved, value }: Place,
  {
    stage,
    spec,
    execution,
  }: { readonly stage: '$search' | '$searchMeta'; readonly spec: Doc; readonly execution: object },
): Generator<Doc | Pause> {
  const asked = indexNamed(call, resolved, indexNameIn(spec, 'default'));
  let meta = emptyMeta;
  let hits: readonly SearchHit[] = [];
  if (asked !== undefined) {
    const { search, entry, collection } = asked;
    const built = yield* search.indexOf(entry, collection, documentsIn(value, call.db));
    if (built.type !== 'search') throw wrongType(entry, stage, 'search');
    const result = failing(search, () => built.index.search(plainDocument(spec)));
    meta = docOfPlain(result.meta);
    ({ hits } = result);
  }
  noteSearchMeta(execution, meta);
  if (stage === '$searchMeta') {
    yield meta;
    return;
  }
  for (const hit of hits) {
    const doc = hit.storedSource === undefined ? viewOf(asked!.collection, hit.key) : docOfPlain(hit.storedSource);
    noteMetadata(doc, { search: namesOf(hit) });
    yield doc;
  }
};

const fullText =
  (stage: '$search' | '$searchMeta') =>
  (place: Place): OwnStage =>
  given => {
    const spec = specOf(stage, given);
    return execution => found(place, { stage, spec, execution });
  };

const nearest = function* ({ call, resolved, value }: Place, spec: Doc): Generator<Doc | Pause> {
  if (!spec.has('index')) throw fail('UnknownError', '"index" is required.');
  const asked = indexNamed(call, resolved, indexNameIn(spec, ''));
  if (asked === undefined) return;
  const { search, entry, collection } = asked;
  const built = yield* search.indexOf(entry, collection, documentsIn(value, call.db));
  if (built.type !== 'vectorSearch') throw wrongType(entry, '$vectorSearch', 'vectorSearch');
  for (const { key, score } of failing(search, () => built.index.search(plainDocument(spec)))) {
    const doc = viewOf(collection, key);
    noteMetadata(doc, {
      search: new Map([
        ['vectorSearchScore', double(score)],
        ['score', double(score)],
      ]),
    });
    yield doc;
  }
};

const vectorSearch =
  (place: Place): OwnStage =>
  given => {
    const spec = specOf('$vectorSearch', given);
    return () => nearest(place, spec);
  };

/** Returns an index as `$listSearchIndexes` shows it. */
export const shownIndex = ({ catalog }: Search, entry: SearchEntry, host: string): Doc => {
  const { id, name, type, definition, version, definedAt } = entry;
  const status = catalog.statusOf(entry);
  const queryable = catalog.isQueryable(entry);
  const definitionVersion = Doc.of([
    ['version', version],
    ['createdAt', new DateValue(definedAt)],
  ]);
  const main = Doc.of([
    ['status', status],
    ['queryable', queryable],
    ['definitionVersion', definitionVersion],
    ['definition', definition],
  ]);
  const detail = Doc.of([
    ['hostname', host],
    ['status', status],
    ['queryable', queryable],
    ['mainIndex', main],
  ]);
  return Doc.of([
    ['id', id],
    ['name', name],
    ['type', type],
    ['status', status],
    ['queryable', queryable],
    ['latestDefinitionVersion', definitionVersion],
    ['latestDefinition', definition],
    ['statusDetail', [detail]],
  ]);
};

/** Returns the indexes that match a name or an id, as `$listSearchIndexes` shows them. @throws CommandError */
export const listedIndexes = (
  { server: { search, address } }: Call,
  { base }: Pick<Resolved, 'base'>,
  wanted: { readonly id: Value | undefined; readonly name: Value | undefined },
): readonly Doc[] => {
  if (wanted.id !== undefined && wanted.name !== undefined)
    throw fail('InvalidOptions', "Cannot set both 'name' and 'id' for $listSearchIndexes.");
  if (base === undefined || search === undefined) return [];
  return search.catalog
    .of(base.settings.uuid)
    .filter(({ id, name }) => (wanted.id ?? id) === id && (wanted.name ?? name) === name)
    .map(entry => shownIndex(search, entry, address));
};

const listSearchIndexes =
  ({ call, resolved }: Place): OwnStage =>
  given => {
    const spec = specOf('$listSearchIndexes', given);
    const unknown = spec.keys().find(name => name !== 'id' && name !== 'name');
    if (unknown !== undefined) throw fail(40415, `BSON field '$listSearchIndexes.${unknown}' is an unknown field.`);
    return () => listedIndexes(call, resolved, { id: spec.get('id'), name: spec.get('name') });
  };

/** The stages of the option `search`, by name. */
export const searchStages: ReadonlyMap<string, (place: Place) => OwnStage> = new Map<
  string,
  (place: Place) => OwnStage
>([
  ['$listSearchIndexes', listSearchIndexes],
  ['$search', fullText('$search')],
  ['$searchMeta', fullText('$searchMeta')],
  ['$vectorSearch', vectorSearch],
]);

/** Whether a pipeline has one of the stages, in a nested pipeline as well. */
export const usesSearch = (value: Value): boolean => {
  if (isArray(value)) return value.some(usesSearch);
  return isDoc(value) && value.entries().some(([name, inner]) => searchStages.has(name) || usesSearch(inner));
};

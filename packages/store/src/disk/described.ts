import type { Soon, TextAnalysis } from '@tessera/contracts';
import type { BinaryValue, Entry, NumberValue } from '@tessera/mql/engine';
import { Doc, compare, double, isArray, isDoc, toDouble, toHex } from '@tessera/mql/engine';
import type { Collection, CollectionSettings, IndexDefinition, Validator } from '../collection.js';
import { addIndex, idIndex } from '../collection.js';
import type { Namespace } from '../database.js';
import { isView } from '../database.js';
import { parseClusteredIndex, parseIndexSpec } from '../index-spec.js';
import { recordNumber } from '../key.js';
import { pinnedBuckets } from '../pinned-buckets.js';
import type { TimeSeries } from '../time-series.js';
import type { Tree } from '../tree.js';

/** Compiles the definitions of collections when their data is read. Each function throws a CommandError. */
export interface Definitions {
  /** Loads what the indexes with these specifications require. */
  readonly prepare: (indexes: readonly Doc[]) => Soon<void>;
  /** Returns the validator of a collection with these options, if any. */
  readonly validator: (options: Doc) => Validator | undefined;
  /** Parses the option `timeseries`. */
  readonly timeSeries: (option: Doc, expireAfterSeconds: number | undefined) => TimeSeries;
  /** The languages of text indexes, once they are loaded. */
  readonly analysis: () => TextAnalysis | undefined;
}

/**
 * Returns the description of a namespace without its documents. A collection:
 * `{ ns, uuid, options, capped?: { size, max }, indexes: [ … ] }`, with options and indexes as in listCollections and
 * listIndexes. A view: `{ ns, options, viewOn, pipeline }`.
 */
export const describedNamespace = (namespace: Namespace): Doc => {
  const { ns, options } = namespace.settings;
  if (isView(namespace)) {
    return Doc.of([
      ['ns', ns],
      ['options', options],
      ['viewOn', namespace.viewOn],
      ['pipeline', namespace.pipeline],
    ]);
  }
  const { uuid, capped } = namespace.settings;
  const entries: Entry[] = [
    ['ns', ns],
    ['uuid', uuid],
    ['options', options],
  ];
  if (capped !== undefined) {
    const { size, max } = capped;
    entries.push([
      'capped',
      Doc.of([
        ['size', double(size)],
        ['max', double(max)],
      ]),
    ]);
  }
  return Doc.of([...entries, ['indexes', namespace.indexes.map(({ definition }) => definition.spec)]]);
};

const textIn = (doc: Doc, name: string): string => doc.get(name) as string;

const nested = (doc: Doc, name: string): Doc => {
  const value = doc.get(name);
  return isDoc(value) ? value : Doc.EMPTY;
};

const numberIn = (doc: Doc, name: string): number => toDouble(doc.get(name) as NumberValue);

const expiryIn = (options: Doc): number | undefined =>
  options.has('expireAfterSeconds') ? numberIn(options, 'expireAfterSeconds') : undefined;

const simple = Doc.of([['locale', 'simple']]);

const indexFrom = (definitions: Definitions, spec: Doc, options: Doc): IndexDefinition => {
  if (compare(spec, idIndex.spec) === 0) return { ...idIndex };
  // The specification is complete, except that a partial index's filter uses the collection's collation.
  const inherited = options.get('collation');
  if (spec.get('clustered') === true) {
    const given = spec.without('clustered').without('collation');
    return parseClusteredIndex(given, expiryIn(options), isDoc(inherited) ? inherited : undefined);
  }
  const plain = isDoc(inherited) && !spec.has('collation') ? spec.with('collation', simple) : spec;
  const parsed = parseIndexSpec(plain, {
    inherited: isDoc(inherited) ? inherited : undefined,
    isSeries: options.has('timeseries'),
    analysis: definitions.analysis(),
  });
  return parsed.name === idIndex.name ? { ...parsed, unique: true } : parsed;
};

const settingsFrom = (definitions: Definitions, described: Doc, options: Doc): CollectionSettings => {
  const series = options.get('timeseries');
  const capped = described.get('capped');
  return {
    ns: textIn(described, 'ns'),
    uuid: described.get('uuid') as BinaryValue,
    options,
    capped: isDoc(capped) ? { size: numberIn(capped, 'size'), max: numberIn(capped, 'max') } : undefined,
    validator: definitions.validator(options),
    timeSeries: isDoc(series) ? definitions.timeSeries(series, expiryIn(options)) : undefined,
  };
};

/** Returns the UUID of a description in hexadecimal digits, or undefined for a view. */
export const idIn = (described: Doc): string | undefined => {
  const uuid = described.get('uuid');
  return uuid === undefined ? undefined : toHex((uuid as BinaryValue).bytes);
};

/** Returns the specifications of the indexes of a description. */
export const indexesIn = (described: Doc): readonly Doc[] => {
  const indexes = described.get('indexes');
  return isArray(indexes) ? indexes.filter(isDoc) : [];
};

/**
 * Restores a namespace from its description and documents, and rebuilds its indexes.
 * @param records the documents by record key
 * @param pinned the pinned buckets of a time series by record key
 * @throws CommandError for options that this version does not support
 */
export const restoredNamespace = (
  definitions: Definitions,
  described: Doc,
  records: Tree<Doc>,
  pinned: Tree<Doc>,
): Namespace => {
  const options = nested(described, 'options').view();
  const pipeline = described.get('pipeline');
  if (isArray(pipeline))
    return { settings: { ns: textIn(described, 'ns'), options }, viewOn: textIn(described, 'viewOn'), pipeline };
  const edit = { for: 'what was on disk' };
  let bytes = 0;
  let lastRecord = 0;
  for (const walk = records.walk(undefined, undefined); walk.next();) {
    bytes += walk.value.byteLength;
    lastRecord = recordNumber(walk.key);
  }
  const settings = settingsFrom(definitions, described, options);
  const buckets = settings.timeSeries && pinnedBuckets(pinned, settings.timeSeries, edit);
  const lastBucket = buckets?.buckets.walk(undefined, undefined, true);
  if (lastBucket?.next() === true)
    lastRecord = Math.max(lastRecord, recordNumber(lastBucket.key) + lastBucket.value.count);
  let collection: Collection = {
    settings,
    records,
    nextRecord: lastRecord + 1,
    bytes,
    indexes: [],
    pinned: buckets,
  };
  for (const spec of indexesIn(described))
    collection = addIndex(collection, indexFrom(definitions, spec, options), edit);
  return collection;
};

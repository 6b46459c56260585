import type { Entry } from '@tessera/mql/engine';
import { DateValue, Doc, fail, isDoc } from '@tessera/mql/engine';
import type { Collection, DatabaseValue } from '@tessera/store';
import { indexSize, isView, scansOf } from '@tessera/store';
import { readable } from '../engine/buckets.js';
import type { Call, Command, Fields } from './command.js';
import { command, namespaceOf, valueOf } from './command.js';
import { scaleOf } from './diagnostics.js';
import { latenciesOf } from './figures.js';
import { any } from './schema.js';

const sizes = (collection: Collection | undefined, factor: number): Fields => {
  const count = collection?.records.size ?? 0;
  const bytes = collection?.bytes ?? 0;
  const scaled = Math.floor(bytes / factor);
  const indexes = collection?.indexes ?? [];
  const indexSizes = indexes.map(index => Math.ceil(indexSize(index) / factor));
  const indexTotal = indexSizes.reduce((sum, size) => sum + size, 0);
  const fields: Entry[] = [
    ['size', scaled],
    ['count', count],
  ];
  if (count > 0) fields.push(['avgObjSize', Math.floor(bytes / count)]);
  const capped = collection?.settings.capped;
  fields.push(['numOrphanDocs', 0], ['storageSize', scaled], ['freeStorageSize', 0], ['capped', capped !== undefined]);
  if (capped !== undefined)
    fields.push(['max', Number.isFinite(capped.max) ? capped.max : 0], ['maxSize', capped.size]);
  fields.push(
    ['nindexes', indexes.length],
    ['indexBuilds', []],
    ['totalIndexSize', indexTotal],
    ['totalSize', scaled + indexTotal],
    ['indexSizes', Doc.of(indexes.map(({ definition }, i) => [definition.name, indexSizes[i]!]))],
    ['scaleFactor', factor],
  );
  return fields;
};

const missing = (ns: string): Error =>
  fail(
    'NamespaceNotFound',
    `Unable to retrieve storageStats in $collStats stage :: caused by :: Collection [${ns}] not found.`,
  );

/** Returns the document of the stage `$collStats`. @throws CommandError 26 for the size of a missing collection */
export const collStatsOf = (call: Call, value: DatabaseValue, ns: string, spec: Doc): Doc => {
  const namespace = readable(value, ns);
  // A view has only latencies.
  if (isView(namespace) && spec.keys().some(name => name !== 'latencyStats'))
    throw fail('CommandNotSupportedOnView', `Namespace ${ns} is a view, not a collection`);
  const base = isView(namespace) ? undefined : namespace;
  const fields: Entry[] = [
    ['ns', ns],
    ['host', call.server.address],
    ['localTime', new DateValue(call.engine.clock.wallTime())],
  ];
  const latencies = spec.get('latencyStats');
  if (isDoc(latencies)) fields.push(['latencyStats', latenciesOf(call, ns, latencies.get('histograms') === true)]);
  const storage = spec.get('storageStats');
  if (isDoc(storage)) {
    if (base === undefined) throw missing(ns);
    fields.push(['storageStats', Doc.of(sizes(base, scaleOf(storage.get('scale'))))]);
  }
  if (spec.has('count')) {
    if (base === undefined) throw missing(ns);
    fields.push(['count', base.records.size]);
  }
  if (spec.has('queryExecStats')) {
    if (base === undefined) throw missing(ns);
    const scans = BigInt(scansOf(base));
    fields.push([
      'queryExecStats',
      Doc.of([
        [
          'collectionScans',
          Doc.of([
            ['total', scans],
            ['nonTailable', scans],
          ]),
        ],
      ]),
    ]);
  }
  return Doc.of(fields);
};

export const collStats: Command = command({
  name: 'collStats',
  aliases: ['collstats'],
  schema: { scale: any() },
  stable: false,
  help: 'Returns the sizes of a collection.',
  run: (call, { scale }) => {
    const ns = namespaceOf(call);
    const namespace = readable(valueOf(call), ns);
    if (namespace !== undefined && 'viewOn' in namespace) {
      throw fail('CommandNotSupportedOnView', `Namespace ${ns} is a view, not a collection`);
    }
    return [['ns', ns], ...sizes(namespace, scaleOf(scale))];
  },
});

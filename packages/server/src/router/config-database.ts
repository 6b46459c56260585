import type { Clock } from '@tessera/contracts';
import { Doc } from '../value/doc.js';
import { DateValue } from '../value/value.js';
import type { Catalog } from './catalog.js';
import { pointDoc } from './distribution.js';
import { hostOf } from './shard.js';

const shards = ({ shards: all }: Catalog): readonly Doc[] =>
  all.map(shard =>
    Doc.of([
      ['_id', shard.name],
      ['host', hostOf(shard)],
      ['state', 1],
    ]),
  );

const databases = ({ databases: all }: Catalog): readonly Doc[] =>
  [...all].map(([name, home]) =>
    Doc.of([
      ['_id', name],
      ['primary', home.name],
      ['partitioned', true],
    ]),
  );

const collections = ({ distributions }: Catalog, clock: Clock): readonly Doc[] =>
  [...distributions.values()].map(({ ns, key, isUnique, uuid, epoch }) =>
    Doc.of([
      ['_id', ns],
      ['lastmodEpoch', epoch],
      ['lastmod', new DateValue(clock.wallTime())],
      ...(uuid === undefined ? [] : ([['uuid', uuid]] as const)),
      ['key', key.doc],
      ['unique', isUnique],
      ['dropped', false],
    ]),
  );

const chunks = ({ distributions }: Catalog): readonly Doc[] =>
  [...distributions.values()].flatMap(({ ns, key, uuid, chunks: all }) =>
    all.map(({ min, max, shard }, i) =>
      Doc.of([
        ['_id', `${ns}-${i}`],
        uuid === undefined ? ['ns', ns] : ['uuid', uuid],
        ['min', pointDoc(key, min)],
        ['max', pointDoc(key, max)],
        ['shard', shard.name],
      ]),
    ),
  );

/** What `config` has of where data is: made when somebody looks. */
export const configContents = (catalog: Catalog, clock: Clock): ReadonlyMap<string, readonly Doc[]> =>
  new Map([
    ['shards', shards(catalog)],
    ['databases', databases(catalog)],
    ['collections', collections(catalog, clock)],
    ['chunks', chunks(catalog)],
  ]);

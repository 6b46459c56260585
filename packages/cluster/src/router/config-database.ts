import type { Clock } from '@tessera/contracts';
import { Doc } from '@tessera/mql/engine';
import type { Catalog } from './catalog.js';
import { chunkDocs, collectionDoc } from './distribution-document.js';
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

/** Returns the contents of the `config` database that describe the cluster. They are computed when they are read. */
export const configContents = (catalog: Catalog, clock: Clock): ReadonlyMap<string, readonly Doc[]> =>
  new Map([
    ['shards', shards(catalog)],
    ['databases', databases(catalog)],
    ['collections', [...catalog.distributions.values()].map(one => collectionDoc(one, clock.wallTime()))],
    ['chunks', [...catalog.distributions.values()].flatMap(chunkDocs)],
  ]);

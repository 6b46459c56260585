import type { Projection } from '../project/projection.js';
import type { Matcher } from '../query/parse.js';
import type { Sort } from '../sort/sort.js';
import { sortDocs } from '../sort/sort-docs.js';
import type { Collection } from '../store/collection.js';
import type { Plan } from '../store/plan.js';
import type { Doc } from '../value/doc.js';
import type { Source } from './batch.js';
import { iterate, limited, listed, mapped } from './batch.js';
import { isPointLookup, rowsOf } from './select.js';

export interface Find {
  readonly matcher: Matcher;
  readonly sort: Sort | undefined;
  readonly hint: string | Doc | undefined;
  readonly collation: Doc | undefined;
  readonly skip: number;
  /** 0: none. */
  readonly limit: number;
  readonly projection: Projection | undefined;
}

const project = (source: Source, { projection, matcher }: Find): Source =>
  projection === undefined ? source : mapped(source, doc => projection(doc, matcher));

const mostOf = ({ skip, limit }: Find): number | undefined => (limit === 0 ? undefined : skip + limit);

/** The results of a find in one version of a collection, in the way that a plan leads. */
export const findIn = (collection: Collection, find: Find, plan: Plan): Source => {
  const docs = function* (): Generator<Doc> {
    for (const { doc } of rowsOf(collection, plan, find.matcher)) yield doc;
  };
  const source =
    !plan.sorted && find.sort !== undefined
      ? listed(sortDocs(docs(), find.sort, mostOf(find)))
      : isPointLookup(plan)
        ? listed([...docs()])
        : iterate(docs());
  return project(limited(source, find.skip, find.limit), find);
};

/** The results of a find among documents that come from elsewhere: a view. */
export const findAmong = (all: Iterable<Doc>, find: Find): Source => {
  const docs = function* (): Generator<Doc> {
    for (const doc of all) if (find.matcher.matches(doc)) yield doc;
  };
  const { sort } = find;
  const sorted = sort !== undefined && sort.pattern.length > 0;
  const source = sorted ? listed(sortDocs(docs(), sort, mostOf(find))) : iterate(docs());
  return project(limited(source, find.skip, find.limit), find);
};

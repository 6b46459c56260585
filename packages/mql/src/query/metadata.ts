import type { Doc } from '../value/doc.js';
import type { Value } from '../value/value.js';

/** The metadata of a result, which `$meta` reads. */
export interface Metadata {
  readonly textScore?: number;
  /** The distance that `$near` or `$geoNear` computed, in meters or in the units of a plane. */
  readonly geoNearDistance?: number;
  /** The place at that distance, as it is stored. */
  readonly geoNearPoint?: Value;
  readonly recordId?: Value;
  readonly indexKey?: Value;
  /** The values by which a `find` sorted the document. */
  readonly sortKey?: Value;
  /** The values of `$search` and `$vectorSearch` by their names in `$meta`, such as `searchScore`. */
  readonly search?: ReadonlyMap<string, Value>;
}

const known = new WeakMap<Doc, Metadata>();

export const metadataOf = (doc: Doc): Metadata | undefined => known.get(doc);

export const noteMetadata = (doc: Doc, metadata: Metadata): void => {
  known.set(doc, { ...known.get(doc), ...metadata });
};

/** Copies the metadata of a document to a document that was derived from it, and returns the latter. */
export const carried = (from: Doc, to: Doc): Doc => {
  const metadata = from === to ? undefined : known.get(from);
  if (metadata !== undefined) known.set(to, metadata);
  return to;
};

const searches = new WeakMap<object, Doc>();

/** Stores the value of `$$SEARCH_META` for one execution of a pipeline. */
export const noteSearchMeta = (execution: object, meta: Doc): void => {
  searches.set(execution, meta);
};

/** Returns the value of `$$SEARCH_META`, or undefined if no `$search` has run. */
export const searchMetaOf = (execution: object): Doc | undefined => searches.get(execution);

import type { Doc } from '../value/doc.js';

/** What is known of a result beside its fields: what `$meta` reads. */
export interface Metadata {
  readonly textScore?: number;
  /** Of `$near` and `$geoNear`: meters, or the units of a plane. */
  readonly geoNearDistance?: number;
}

const known = new WeakMap<Doc, Metadata>();

export const metadataOf = (doc: Doc): Metadata | undefined => known.get(doc);

export const noteMetadata = (doc: Doc, metadata: Metadata): void => {
  known.set(doc, { ...known.get(doc), ...metadata });
};

/** What was made of a document keeps what is known of it. */
export const carried = (from: Doc, to: Doc): Doc => {
  const metadata = from === to ? undefined : known.get(from);
  if (metadata !== undefined) known.set(to, metadata);
  return to;
};

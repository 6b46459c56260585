import type { Binary, Document, Long, OptionalId, Timestamp } from '@tessera/contracts';

export type {
  AcceptedFields,
  EnhancedOmit,
  Flatten,
  InferIdType,
  IsAny,
  KeysOfAType,
  KeysOfOtherType,
  NotAcceptedFields,
  OptionalId,
  WithId,
  WithoutId,
} from '@tessera/contracts';

/** A document to insert: `_id` may be omitted unless the schema requires it. */
export type OptionalUnlessRequiredId<Schema> = Schema extends { _id: unknown } ? Schema : OptionalId<Schema>;
export type { Document };

/** An index, by its name or its keys. */
export type Hint = string | Document;
/** A collation. Rule: MongoDB manual, "Collation Document". */
export interface CollationOptions {
  /** The language, such as `en`, or `simple` for binary comparison. */
  locale: string;
  /** Compares upper and lower case at strength 1 or 2. Default: false. */
  caseLevel?: boolean;
  /** The case that sorts first: `upper`, `lower` or `off`. Default: `off`. */
  caseFirst?: string;
  /** The level of comparison: 1 ignores accents and case, 2 ignores case, 3 compares both. Default: 3. */
  strength?: number;
  /** Compares digits as numbers, so that `a10` follows `a2`. Default: false. */
  numericOrdering?: boolean;
  /** `shifted` ignores spaces and punctuation. Default: `non-ignorable`. */
  alternate?: string;
  /** The characters that `shifted` ignores: `punct` or `space`. Default: `punct`. */
  maxVariable?: string;
  /** Compares accents from the end, as in some French dictionaries. Default: false. */
  backwards?: boolean;
  /** Normalizes text to Unicode form NFD before comparing it. Default: false. */
  normalization?: boolean;
}

/** The id of a session on the server. Rule: Driver Sessions, "lsid". */
export type ServerSessionId = {
  /** The UUID of the session. */
  id: Binary;
};
/** The logical time of a cluster. Rule: Driver Sessions, "Gossipping the cluster time". */
export interface ClusterTime {
  /** The logical time. */
  clusterTime: Timestamp;
  /** The server's signature of the time. */
  signature?: { hash: Binary; keyId: Long };
}

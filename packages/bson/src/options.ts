import { MongoError, type BsonOptions } from '@tessera/contracts';
import { settleUtf8, type Utf8Rule } from './utf8-rule.js';

/** The options of this codec, which add to those of the official driver. */
export interface CodecOptions extends BsonOptions {
  /**
   * Which strings must be valid UTF-8, as in npm `bson`: all, none, or by top-level field, including everything in the
   * field. `{ a: true }` validates only `a`; `{ a: false }` validates all fields except `a`. Takes precedence over
   * `enableUtf8Validation`.
   */
  readonly validation?: { readonly utf8: boolean | Readonly<Record<string, boolean>> };
  /**
   * Read values without losing their type, so that they are written back as the same bytes. Numbers, regular expressions and symbols become
   * instances of their classes, undefined becomes {@link BSONUndefined}, a DBPointer becomes {@link DBPointer}, and
   * DBRefs become documents. Default false.
   */
  readonly keepTypes?: boolean;
}

/** The options for decoding a single document. */
export interface DecodeOptions extends CodecOptions {
  /** The offset of the document in the buffer. Requires `allowObjectSmallerThanBufferSize`. Default 0. */
  readonly index?: number;
  /** Whether the buffer may hold more bytes than the document. Default false. */
  readonly allowObjectSmallerThanBufferSize?: boolean;
}

export interface Settings extends Required<Omit<CodecOptions, 'validation' | 'enableUtf8Validation'>> {
  readonly utf8: Utf8Rule;
}

export const defaults: Settings = {
  ignoreUndefined: false,
  serializeFunctions: false,
  checkKeys: false,
  promoteLongs: true,
  useBigInt64: false,
  promoteValues: true,
  promoteBuffers: false,
  bsonRegExp: false,
  raw: false,
  fieldsAsRaw: {},
  keepTypes: false,
  utf8: true,
};

/** Fills in the defaults. @throws MongoError `usage` for options that contradict each other or are invalid. */
export const settle = (options: CodecOptions): Settings => {
  const settings: { -readonly [K in keyof Settings]: Settings[K] } = { ...defaults };
  for (const [name, value] of Object.entries(options) as [string, unknown][]) {
    if (value !== undefined && value !== null && name in defaults) Object.assign(settings, { [name]: value });
  }
  settings.utf8 = settleUtf8(options.validation?.utf8 ?? options.enableUtf8Validation ?? true);
  if (settings.useBigInt64 && !(settings.promoteLongs && settings.promoteValues)) {
    throw new MongoError(
      'usage',
      '"useBigInt64: true" reads int64 as bigint, but "promoteLongs: false" and "promoteValues: false" read it as Long. Remove one of the options.',
    );
  }
  if (settings.keepTypes) {
    Object.assign(settings, { promoteValues: false, promoteLongs: false, bsonRegExp: true, useBigInt64: false });
  }
  return settings;
};

/** Whether the fast decoder, which supports only the defaults, can read the documents. */
export const readsByDefault = (settings: Settings): boolean =>
  settings.promoteLongs &&
  !settings.useBigInt64 &&
  settings.promoteValues &&
  !settings.promoteBuffers &&
  !settings.bsonRegExp &&
  !settings.raw &&
  settings.utf8 === true &&
  !settings.keepTypes &&
  Object.keys(settings.fieldsAsRaw).length === 0;

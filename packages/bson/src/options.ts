import { MongoError, type BsonOptions } from '@tessera/contracts';
import { settleUtf8, type Utf8Rule } from './utf8-rule.js';

/** What this codec can do beyond the options of the official driver. */
export interface CodecOptions extends BsonOptions {
  /**
   * Which strings must be UTF-8, as npm `bson` takes it: all, none, or by the names of fields of the outermost document and
   * with all that is in them; `{ a: true }` is only `a`, `{ a: false }` all but `a`. It goes before `enableUtf8Validation`.
   */
  readonly validation?: { readonly utf8: boolean | Readonly<Record<string, boolean>> };
  /**
   * Read every value as something that is written back as the very same bytes: numbers, regular expressions and symbols
   * as their classes, undefined and DBPointer as {@link BSONUndefined} and {@link DBPointer}, DBRefs as documents.
   * Default false.
   */
  readonly keepTypes?: boolean;
}

/** Options of a single document. */
export interface DecodeOptions extends CodecOptions {
  /** Where the document starts. Bytes stand beside it then, which `allowObjectSmallerThanBufferSize` permits. Default 0. */
  readonly index?: number;
  /** Whether the bytes may be more than the document. Default false. */
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

/** Fills in the defaults. @throws MongoError `usage` for options that exclude each other or mean nothing. */
export const settle = (options: CodecOptions): Settings => {
  const settings: { -readonly [K in keyof Settings]: Settings[K] } = { ...defaults };
  for (const [name, value] of Object.entries(options) as [string, unknown][]) {
    if (value !== undefined && value !== null && name in defaults) Object.assign(settings, { [name]: value });
  }
  settings.utf8 = settleUtf8(options.validation?.utf8 ?? options.enableUtf8Validation ?? true);
  if (settings.useBigInt64 && !(settings.promoteLongs && settings.promoteValues)) {
    throw new MongoError(
      'usage',
      'useBigInt64 asks for int64 as bigint, but promoteLongs: false or promoteValues: false asks for Long. Drop one of the two.',
    );
  }
  if (settings.keepTypes) {
    Object.assign(settings, { promoteValues: false, promoteLongs: false, bsonRegExp: true, useBigInt64: false });
  }
  return settings;
};

/** Whether documents can be read by the fast decoder, which knows the defaults only. */
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

import { MongoError, type BsonOptions } from '@tessera/contracts';

/** What this codec can do beyond the options of the official driver. */
export interface CodecOptions extends BsonOptions {
  /**
   * Read every value as something that is written back as the very same bytes: numbers, regular expressions and symbols
   * as their classes, undefined and DBPointer as {@link BSONUndefined} and {@link DBPointer}, DBRefs as documents.
   * Default false.
   */
  readonly keepTypes?: boolean;
}

export type Settings = Required<CodecOptions>;

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
  enableUtf8Validation: true,
  keepTypes: false,
};

/** Fills in the defaults. @throws MongoError `usage` for options that exclude each other. */
export const settle = (options: CodecOptions): Settings => {
  const settings: { -readonly [K in keyof Settings]: Settings[K] } = { ...defaults };
  for (const [name, value] of Object.entries(options) as [string, unknown][]) {
    if (value !== undefined && value !== null && name in defaults) Object.assign(settings, { [name]: value });
  }
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
  settings.enableUtf8Validation &&
  !settings.keepTypes &&
  Object.keys(settings.fieldsAsRaw).length === 0;

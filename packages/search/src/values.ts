import type { Document } from '@tessera/contracts';

/** The kinds of values that an index stores. Numbers of all BSON types except decimals are of one kind. */
export type ScalarKind = 'boolean' | 'date' | 'null' | 'number' | 'objectId' | 'string' | 'uuid';

/** A stored value: dates as milliseconds, ObjectIds and UUIDs as hexadecimal digits. */
export interface Scalar {
  readonly kind: ScalarKind;
  readonly value: boolean | number | string | null;
}

/** A value of npm `bson`. It is recognized by `_bsontype`, so values of any copy of the library are accepted. */
interface Tagged {
  readonly _bsontype: string;
  readonly [field: string]: unknown;
}

export const isTagged = (value: unknown): value is Tagged =>
  typeof value === 'object' && value !== null && '_bsontype' in value;

/** Whether a value is an object with fields, as opposed to an array or a value of another type. */
export const isDocument = (value: unknown): value is Document =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof Date) &&
  !(value instanceof RegExp) &&
  !(value instanceof Uint8Array) &&
  !('_bsontype' in value);

export const isNumeric = (value: unknown): boolean => scalarOf(value)?.kind === 'number';

export const toHex = (bytes: Uint8Array): string =>
  Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');

const scalar = (kind: ScalarKind, value: Scalar['value']): Scalar => ({ kind, value });

const uuidSubtype = 4;

/** The bytes of a `Binary`, which may have unused memory behind them. */
export const bytesOf = (value: Tagged): Uint8Array =>
  (value['buffer'] as Uint8Array).subarray(0, value['position'] as number);

const ofTagged = (value: Tagged): Scalar | undefined => {
  switch (value._bsontype) {
    case 'Int32':
    case 'Double':
      return scalar('number', Number(value['value']));
    case 'Long':
      return scalar('number', Number((value as unknown as { toBigInt(): bigint }).toBigInt()));
    case 'ObjectId':
      return scalar('objectId', toHex(value['id'] as Uint8Array));
    case 'Binary':
      return value['sub_type'] === uuidSubtype ? scalar('uuid', toHex(bytesOf(value))) : undefined;
    default:
      return undefined;
  }
};

/** Returns a value as indexes store it, or undefined for a document, an array or a type that is not indexed. */
export const scalarOf = (value: unknown): Scalar | undefined => {
  switch (typeof value) {
    case 'string':
      return scalar('string', value);
    case 'number':
      return scalar('number', value);
    case 'bigint':
      return scalar('number', Number(value));
    case 'boolean':
      return scalar('boolean', value);
    case 'object':
      if (value === null) return scalar('null', null);
      if (value instanceof Date) return scalar('date', value.getTime());
      return isTagged(value) ? ofTagged(value) : undefined;
    default:
      return undefined;
  }
};

const rankOf: Readonly<Record<ScalarKind, number>> = {
  null: 0,
  number: 1,
  string: 2,
  objectId: 3,
  uuid: 4,
  boolean: 5,
  date: 6,
};

const compareSame = (a: NonNullable<Scalar['value']>, b: NonNullable<Scalar['value']>): number =>
  a < b ? -1 : a > b ? 1 : 0;

/** Compares values: by their kinds first. */
export const compareScalars = (a: Scalar, b: Scalar): number =>
  a.kind === b.kind ? compareSame(a.value ?? 0, b.value ?? 0) : rankOf[a.kind] - rankOf[b.kind];

import type { Doc, NumberValue, Since, Value, Version } from '@tessera/mql/engine';
import { fail, isAtLeast, isDoc, isSet, toDouble, toLong, typeName } from '@tessera/mql/engine';

/** A field of a command: the BSON types that it accepts, and how its value is converted. */
export interface Field<T> {
  /** Names of BSON types. Empty: any type. */
  readonly types: readonly string[];
  /** Converts the value. `scope.name` is the path for error messages; it is concatenated only for them. */
  readonly read: (value: Value, scope: string, name: string, version: Version) => T;
  readonly isRequired: boolean;
  /** The first version that has the field. */
  readonly since: Since | undefined;
}

export type Schema = Readonly<Record<string, Field<unknown>>>;

/** The result of {@link parseFields} for a schema. */
export type Args<S extends Schema> = { readonly [K in keyof S]: S[K] extends Field<infer T> ? T : never };

const field = <T>(
  types: readonly string[],
  read: (value: Value, scope: string, name: string, version: Version) => T,
): Field<T | undefined> => ({
  types,
  read,
  isRequired: false,
  since: undefined,
});

export const required = <T>(optional: Field<T | undefined>): Field<T> =>
  ({ ...optional, isRequired: true }) as Field<T>;

export const since = <T>(version: Since, known: Field<T>): Field<T> => ({ ...known, since: version });

/** A field whose definition changed in a version. */
export const until = <T>(version: Since, old: Field<T>, known: Field<T>): Field<T> => ({
  ...known,
  types: [],
  read: (value, scope, name, at) => readField(isAtLeast(at, version) ? known : old, value, scope, name, at) as T,
});

const numeric = ['long', 'int', 'decimal', 'double'];

/** The code of numbers outside of a field's range. It was changed in 7.1. */
const outside = (version: Version): 'BadValue' | 51024 => (isAtLeast(version, '7.1') ? 'BadValue' : 51024);

const inRange = (
  value: NumberValue,
  name: string,
  [least, most]: readonly [number, number],
  version: Version,
): number => {
  const n = Number(toLong(value) ?? (toDouble(value) < 0 ? Number.MIN_SAFE_INTEGER : Number.MAX_SAFE_INTEGER));
  if (n < least) throw fail(outside(version), `BSON field '${name}' value must be >= ${least}, actual value '${n}'`);
  if (n > most) throw fail(outside(version), `BSON field '${name}' value must be <= ${most}, actual value '${n}'`);
  return n;
};

/** A field with a value of any type. */
export const any = (): Field<Value | undefined> => field([], value => value);

export const string = (): Field<string | undefined> => field(['string'], value => value as string);

export const object = (): Field<Doc | undefined> => field(['object'], value => value as Doc);

export const array = (): Field<readonly Value[] | undefined> => field(['array'], value => value as readonly Value[]);

export const strictBool = (): Field<boolean | undefined> => field(['bool'], value => value === true);

/** A boolean, or a number that is converted to one. */
export const bool = (): Field<boolean | undefined> => field(['bool', ...numeric], isSet);

/** An integer of any numeric type, within bounds. A fraction is truncated. */
export const integer = (
  least: number = Number.NEGATIVE_INFINITY,
  most: number = Number.POSITIVE_INFINITY,
): Field<number | undefined> =>
  field(numeric, (value, _scope, name, version) => inRange(value as NumberValue, name, [least, most], version));

/** An int64. */
export const long = (): Field<bigint | undefined> => field(['long'], value => value as bigint);

export const indexHint = (): Field<string | Doc | undefined> =>
  field([], value => {
    if (value === null) return undefined;
    if (typeof value === 'string' || isDoc(value)) return value;
    throw fail('FailedToParse', 'Hint must be a string or an object');
  });

export const arrayOrObject = (): Field<Doc | readonly Value[] | undefined> =>
  field(['array', 'object'], value => value as Doc | readonly Value[]);

/** An array of documents. */
export const documents = (): Field<readonly Doc[] | undefined> =>
  field(['array'], (value, scope, name) => {
    (value as readonly Value[]).forEach((item, i) => {
      if (!isDoc(item)) throw wrongType(`${scope}.${name}.${i}`, item, ['object']);
    });
    return value as readonly Doc[];
  });

/** An array of documents, each with its own schema. */
export const structures = <S extends Schema>(schema: S): Field<readonly Args<S>[] | undefined> =>
  field(['array'], (value, scope, name, version) =>
    (value as readonly Value[]).map((item, i) => {
      if (!isDoc(item)) throw wrongType(`${scope}.${name}.${i}`, item, ['object']);
      return parseFields(item, schema, `${scope}.${name}`, version);
    }),
  );

/** A document with its own schema. */
export const structure = <S extends Schema>(schema: S): Field<Args<S> | undefined> =>
  field(['object'], (value, scope, name, version) => parseFields(value as Doc, schema, `${scope}.${name}`, version));

export const longs = (): Field<readonly bigint[] | undefined> =>
  field(['array'], (value, scope, name) =>
    (value as readonly Value[]).map((item, i) => {
      if (typeof item !== 'bigint') throw wrongType(`${scope}.${name}.${i}`, item, ['long']);
      return item;
    }),
  );

/** Returns the error for a wrong type, with mongod's message, misplaced quotation mark included. */
export const wrongType = (where: string, value: Value, types: readonly string[]): Error =>
  fail(
    'TypeMismatch',
    types.length === 1
      ? `BSON field '${where}' is the wrong type '${typeName(value)}', expected type '${types[0]!}'`
      : `BSON field '${where}' is the wrong type '${typeName(value)}', expected types '[${types.join(', ')}']`,
  );

export const unknownField = (where: string): Error =>
  fail('IDLUnknownField', `BSON field '${where}' is an unknown field.`);

export const duplicateField = (where: string): Error => fail(40413, `BSON field '${where}' is a duplicate field`);

export const missingField = (where: string): Error =>
  fail('IDLFailedToParse', `BSON field '${where}' is missing but a required field`);

/** Reads one field. Null and undefined count as missing, as in mongod. */
export const readField = (
  known: Field<unknown>,
  value: Value,
  scope: string,
  name: string,
  version: Version,
): unknown => {
  if (known.types.length > 0) {
    const type = typeName(value);
    if (!known.types.includes(type)) {
      if (type === 'null' || type === 'undefined') return undefined;
      throw wrongType(`${scope}.${name}`, value, known.types);
    }
  }
  return known.read(value, scope, name, version);
};

/** A schema prepared for lookups. */
export interface Table {
  readonly fields: ReadonlyMap<string, Field<unknown>>;
  readonly required: readonly string[];
}

const tables = new WeakMap<Schema, Table>();

/** Returns the table of a schema, which is created once. */
export const tableOf = (schema: Schema): Table => {
  const known = tables.get(schema);
  if (known !== undefined) return known;
  const entries = Object.entries(schema);
  const required = entries.filter(([, { isRequired }]) => isRequired).map(([name]) => name);
  const table = { fields: new Map(entries), required };
  tables.set(schema, table);
  return table;
};

export const requireFields = ({ required }: Table, given: Readonly<Record<string, unknown>>, where: string): void => {
  for (const name of required) if (given[name] === undefined) throw missingField(`${where}.${name}`);
};

/** Returns the field with that name, or undefined if the version does not have it. */
export const fieldOf = ({ fields }: Table, name: string, version: Version): Field<unknown> | undefined => {
  const known = fields.get(name);
  return known?.since !== undefined && !isAtLeast(version, known.since) ? undefined : known;
};

/** Reads the fields of a document inside a command. @throws CommandError 40413, 40414, 40415, 14 */
export const parseFields = <S extends Schema>(doc: Doc, schema: S, where: string, version: Version): Args<S> => {
  const table = tableOf(schema);
  const given: Record<string, unknown> = {};
  for (const [name, value] of doc.entries()) {
    const known = fieldOf(table, name, version);
    if (known === undefined) throw unknownField(`${where}.${name}`);
    if (Object.hasOwn(given, name)) throw duplicateField(`${where}.${name}`);
    given[name] = readField(known, value, where, name, version);
  }
  requireFields(table, given, where);
  return given as Args<S>;
};

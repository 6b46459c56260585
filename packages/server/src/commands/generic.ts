import type { Value } from '@tessera/mql/engine';
import { fail, isNumber, toSafeInteger, typeName } from '@tessera/mql/engine';
import type { Schema } from './schema.js';
import { any, long, object, since, strictBool, string } from './schema.js';

/** The fields that every command accepts. Rule: "generic arguments". */
export const genericSchema: Schema = {
  $db: string(),
  $readPreference: object(),
  $clusterTime: object(),
  lsid: object(),
  txnNumber: long(),
  autocommit: strictBool(),
  startTransaction: strictBool(),
  stmtId: any(),
  clientOperationKey: any(),
  maxTimeMS: any(),
  maxTimeMSOpOnly: any(),
  readConcern: object(),
  writeConcern: object(),
  comment: since('4.4', any()),
  apiVersion: since('5.0', string()),
  apiStrict: since('5.0', strictBool()),
  apiDeprecationErrors: since('5.0', strictBool()),
  rawData: since('8.2', strictBool()),
};

/** Returns `maxTimeMS` in milliseconds. @throws CommandError 2, 14 */
export const maxTimeOf = (value: Value | undefined, where: string): number | undefined => {
  if (value === undefined || value === null) return undefined;
  if (!isNumber(value)) {
    throw fail(
      'TypeMismatch',
      `BSON field '${where}' is the wrong type '${typeName(value)}', expected types '[long, int, decimal, double']`,
    );
  }
  const n = toSafeInteger(value);
  if (n === undefined) throw fail('BadValue', 'maxTimeMS has non-integral value');
  if (n < 0 || n > 0x7fffffff) throw fail('BadValue', `${n} value for maxTimeMS is out of range [0, 2147483647]`);
  return n;
};

import type { Doc, Value } from '@tessera/mql/engine';
import { fail, isDoc, isNumber, toDouble } from '@tessera/mql/engine';
import { internalDatabases } from '../engine/database.js';
import { missingField } from './schema.js';

/** The destination of the results of a `mapReduce`. */
export type Out =
  | { readonly kind: 'inline' }
  | {
      readonly kind: 'replace' | 'merge' | 'reduce';
      readonly collection: string;
      /** Undefined: the command's database. */
      readonly db: string | undefined;
    };

const collectionOf = (name: string, given: Value): string => {
  if (typeof given === 'string') return given;
  throw fail('BadValue', `'${name}' supports only string consisting of output collection name`);
};

const checkBoolean = (out: Doc, name: string): void => {
  const given = out.get(name);
  if (given === undefined) return;
  if (typeof given !== 'boolean') throw fail('BadValue', `${name} field value must be boolean`);
  if (!given) throw fail('BadValue', `${name} field value must be true`);
};

const outOfDoc = (out: Doc): Out => {
  const inline = out.get('inline');
  if (inline !== undefined) {
    if (out.size > 1) throw fail('InvalidOptions', "'inline' must be specified alone");
    if (!isNumber(inline) || toDouble(inline) !== 1) throw fail('BadValue', "'inline' takes only numeric '1'");
    return { kind: 'inline' };
  }
  checkBoolean(out, 'sharded');
  const kind = (['replace', 'merge', 'reduce'] as const).find(name => out.has(name));
  if (kind === undefined) throw fail('BadValue', "'out' requires 'replace', 'merge' or 'reduce'");
  const collection = collectionOf(kind, out.get(kind)!);
  const db = out.get('db');
  if (db !== undefined && typeof db !== 'string') throw fail('BadValue', 'db field value must be string');
  if (db !== undefined && internalDatabases.has(db)) {
    throw fail('CommandNotSupported', 'cannot target internal database as output');
  }
  checkBoolean(out, 'nonAtomic');
  if (out.keys().some(name => ![kind, 'db', 'sharded', 'nonAtomic'].includes(name))) {
    throw fail(
      'BadValue',
      "'out' supports only output type with collection name, optional 'sharded' and optional 'db'",
    );
  }
  return { kind, collection, db };
};

/**
 * Reads the field `out` of a `mapReduce`. The access check and the command both use this function, so they cannot
 * disagree.
 * @throws CommandError 2, 72, 115, 13606, 40414
 */
export const outOf = (out: Value | undefined, isOld: boolean): Out => {
  if (typeof out === 'string') return { kind: 'replace', collection: out, db: undefined };
  if (isDoc(out)) return outOfDoc(out);
  if (isOld) throw fail(13606, "'out' has to be a string or an object");
  if (out === undefined) throw missingField('mapReduce.out');
  throw fail('BadValue', "'out' must be either a string or an object");
};

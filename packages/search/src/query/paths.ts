import { Fields } from '../fields.js';
import type { Level } from '../index/level.js';
import { textKey } from '../index/level.js';
import type { TextField } from '../index/text-field.js';

/** A field of type `string` with its path. */
export interface Found {
  readonly path: string;
  /** The name of the alternate analyzer. */
  readonly multi: string | undefined;
  readonly field: TextField;
}

type Selector = (level: Level) => readonly Found[];

const named = (path: string, multi?: string): Selector => {
  const key = textKey(path, multi);
  return ({ texts }) => {
    const field = texts.get(key);
    return field === undefined ? [] : [{ path, multi, field }];
  };
};

const matching = (wildcard: string): Selector => {
  const parts = wildcard.split('*').map(part => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const pattern = new RegExp(`^${parts.join('.*')}$`, 's');
  return ({ texts }) =>
    [...texts].filter(([key]) => pattern.test(key)).map(([path, field]) => ({ path, multi: undefined, field }));
};

const selectorOf = (value: unknown, fields: Fields, at: string): Selector => {
  if (typeof value === 'string') return named(value);
  const path = new Fields(value, at).allow('wildcard', 'value', 'multi');
  if (path.has('wildcard')) {
    const wildcard = path.string('wildcard');
    if (wildcard.includes('**')) throw path.problem('wildcard', 'cannot contain two "*" in a row');
    return matching(wildcard);
  }
  if (!path.has('value')) throw fields.problem('path', 'must have "wildcard" or "value"');
  return named(path.string('value'), path.optionalString('multi'));
};

/**
 * Reads a path of texts: a string, a wildcard, a path with an alternate analyzer, or an array of them.
 * @throws SearchError
 */
export const readPaths = (fields: Fields): Selector => {
  const value = fields.required('path');
  const at = `${fields.path}.path`;
  if (!Array.isArray(value)) return selectorOf(value, fields, at);
  if (value.length === 0) throw fields.problem('path', 'cannot be empty');
  const selectors = value.map((item, i) => selectorOf(item, fields, `${at}[${i}]`));
  return level => selectors.flatMap(select => select(level));
};

export type { Selector };

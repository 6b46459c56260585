import { dbRefNames } from '../agg/field-path.js';
import { fail } from '../errors.js';
import type { Doc } from '../value/doc.js';
import type { Value } from '../value/value.js';
import { isArray, isDoc } from '../value/value.js';

const checkValue = (value: Value, path: string): void => {
  if (isDoc(value)) checkPlainNames(value, path);
  else if (isArray(value)) value.forEach((item, i) => checkValue(item, `${path}.${i}`));
};

/**
 * Checks the field names of an updated document, as servers before 5.0 do.
 * @throws CommandError 52 for names that start with a dollar sign, at any depth
 */
export const checkPlainNames = (doc: Doc, path = ''): void => {
  for (const [name, value] of doc) {
    const here = path === '' ? name : `${path}.${name}`;
    if (name.startsWith('$') && !(path !== '' && dbRefNames.has(name))) {
      throw fail(
        'DollarPrefixedFieldName',
        `The dollar ($) prefixed field '${name}' in '${here}' is not valid for storage.`,
      );
    }
    checkValue(value, here);
  }
};

/**
 * Checks the field names of an inserted document, as servers before 5.0 do.
 * @throws CommandError 2 for names that start with a dollar sign, at the top level
 */
export const checkPlainTopNames = (doc: Doc): void => {
  for (const name of doc.keys())
    if (name.startsWith('$')) throw fail('BadValue', `Document can't have $ prefixed field names: ${name}`);
};

import type { Doc, Value } from '@tessera/mql/engine';
import { fail, isArray, isDoc } from '@tessera/mql/engine';

/** Those of a DBRef may begin with a dollar. */
const dbRef: ReadonlySet<string> = new Set(['$ref', '$id', '$db']);

const checkValue = (value: Value, path: string): void => {
  if (isDoc(value)) checkPlainNames(value, path);
  else if (isArray(value)) value.forEach((item, i) => checkValue(item, `${path}.${i}`));
};

/** What servers before 5.0 demand of a document that an update made. @throws CommandError 52 for names with a dollar, at any depth */
export const checkPlainNames = (doc: Doc, path = ''): void => {
  for (const [name, value] of doc) {
    const here = path === '' ? name : `${path}.${name}`;
    if (name.startsWith('$') && !(path !== '' && dbRef.has(name))) {
      throw fail(
        'DollarPrefixedFieldName',
        `The dollar ($) prefixed field '${name}' in '${here}' is not valid for storage.`,
      );
    }
    checkValue(value, here);
  }
};

/** What servers before 5.0 demand of a document that is inserted. @throws CommandError 2 for names with a dollar at the top level */
export const checkPlainTopNames = (doc: Doc): void => {
  for (const name of doc.keys())
    if (name.startsWith('$')) throw fail('BadValue', `Document can't have $ prefixed field names: ${name}`);
};

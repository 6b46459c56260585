import type { Doc } from '@tessera/mql/engine';
import type { Field } from '../commands/schema.js';
import { bool, object, parseFields, required, since } from '../commands/schema.js';

const schema = { enabled: required(bool()) };

/** The option `changeStreamPreAndPostImages: { enabled: true }` of `create` and `collMod`. */
export const imagesOption = (): Field<Doc | undefined> =>
  since('6.0', {
    ...object(),
    read: (value, scope, name, version) => {
      const given = value as Doc;
      parseFields(given, schema, `${scope}.${name}`, version);
      return given;
    },
  });

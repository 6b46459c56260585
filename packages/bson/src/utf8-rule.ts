import { MongoError } from '@tessera/contracts';

/**
 * Which strings must be valid UTF-8: all, none, those in the listed top-level fields, or those in all other fields.
 */
export type Utf8Rule = boolean | { readonly fields: ReadonlySet<string>; readonly must: boolean };

const refuse = (problem: string): never => {
  throw new MongoError(
    'usage',
    `"validation.utf8" must be true, false, or an object whose fields are all true (validate only these) or all false (validate all others): ${problem}.`,
  );
};

/**
 * Converts the option to a rule. @throws MongoError `usage` for fields of both kinds, for no fields, and for values
 * that are not booleans.
 */
export const settleUtf8 = (given: boolean | Readonly<Record<string, boolean>>): Utf8Rule => {
  if (typeof given === 'boolean') return given;
  const [first, ...rest] = Object.values(given) as unknown[];
  if (first === undefined) return refuse('this one has no fields');
  if (typeof first !== 'boolean') return refuse('a field of this one is not a boolean');
  if (rest.some(one => one !== first)) return refuse('the fields of this one have different values');
  return { fields: new Set(Object.keys(given)), must: first };
};

/** Whether strings in this top-level field must be valid UTF-8. */
export const mustBeUtf8 = (rule: Utf8Rule, field: string): boolean =>
  typeof rule === 'boolean' ? rule : rule.fields.has(field) === rule.must;

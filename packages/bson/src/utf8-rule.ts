import { MongoError } from '@tessera/contracts';

/** Which strings must be UTF-8: all, none, or those in these fields of the outermost document, or those in all others. */
export type Utf8Rule = boolean | { readonly fields: ReadonlySet<string>; readonly must: boolean };

const refuse = (problem: string): never => {
  throw new MongoError(
    'usage',
    `The validation of UTF-8 is true, false, or an object of fields that are all true (only those) or all false (all but those): ${problem}.`,
  );
};

/** @throws MongoError `usage` for fields of both kinds, of none, and for what is neither true nor false. */
export const settleUtf8 = (given: boolean | Readonly<Record<string, boolean>>): Utf8Rule => {
  if (typeof given === 'boolean') return given;
  const [first, ...rest] = Object.values(given) as unknown[];
  if (first === undefined) return refuse('this one names no field');
  if (typeof first !== 'boolean') return refuse('a field of this one is neither');
  if (rest.some(one => one !== first)) return refuse('the fields of this one differ');
  return { fields: new Set(Object.keys(given)), must: first };
};

/** Whether strings in this field of the outermost document must be UTF-8. */
export const mustBeUtf8 = (rule: Utf8Rule, field: string): boolean =>
  typeof rule === 'boolean' ? rule : rule.fields.has(field) === rule.must;

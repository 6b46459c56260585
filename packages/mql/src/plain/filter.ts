import type { Document, Filter } from '@tessera/contracts';
import { explainMismatch } from '../query/explain.js';
import { parseQuery } from '../query/parse.js';
import type { LanguageOptions } from './language.js';
import { languageOf } from './language.js';
import { docOf, plainOf } from './value.js';

/** A compiled filter. */
export interface CompiledFilter<Schema extends Document> {
  /** Returns whether a document matches. */
  matches(this: void, document: Schema): boolean;
}

/**
 * Compiles a filter, as `find` takes it, so that many documents can be matched against it.
 * @throws CommandError with mongod's code and message for an invalid filter
 */
export const createFilter = <Schema extends Document = Document>(
  filter: Filter<NoInfer<Schema>>,
  options?: LanguageOptions,
): CompiledFilter<Schema> => {
  const { matches } = parseQuery(docOf(filter), languageOf(options).context);
  return { matches: document => matches(docOf(document)) };
};

/**
 * Validates a document against a validator, as the `validator` option of `createCollection` takes it: `{ $jsonSchema: … }` or any
 * other filter. Returns undefined if the document is valid. Otherwise returns what mongod reports as `errInfo.details`:
 * `{ operatorName: '$jsonSchema', schemaRulesNotSatisfied: […] }`.
 * @throws CommandError with mongod's code and message for an invalid validator
 */
export const validate = <Schema extends Document>(
  document: Schema,
  validator: Filter<NoInfer<Schema>>,
  options?: LanguageOptions,
): Document | undefined => {
  const { context } = languageOf(options);
  const [filter, doc] = [docOf(validator), docOf(document)];
  return parseQuery(filter, context).matches(doc) ? undefined : plainOf(explainMismatch(filter, doc, context));
};

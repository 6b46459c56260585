import type { Doc } from '@tessera/mql/engine';
import { fail, isDoc, isSameCollation, missingCollection } from '@tessera/mql/engine';
import type { Language } from '../engine/language.js';
import { geoIndexesOf, textIndexOf, isView } from '@tessera/store';
import { languageOf } from '../engine/language.js';
import { resolve } from '../engine/pipeline.js';
import { textAnalysis } from '../engine/text-index.js';
import type { Call } from './command.js';
import { collationOfView } from './view-definition.js';

/**
 * Returns the language of a command on a namespace: with the command's collation, else with the namespace's default.
 * @throws CommandError
 */
export const languageFor = (
  call: Call,
  ns: string,
  { collation, bindings }: { readonly collation: Doc | undefined; readonly bindings?: Doc | undefined },
): Language => {
  const namespace = call.data.value.namespaces.get(ns);
  const inherited = namespace?.settings.options.get('collation');
  const spec = collation ?? (isDoc(inherited) ? inherited : undefined);
  // A view without stages uses the indexes of its collection.
  const { base, stages } = resolve(call.data.value, ns);
  const collection = stages.length === 0 ? base : undefined;
  const geo = namespace === undefined ? missingCollection : geoIndexesOf(collection);
  const language = languageOf(call.engine, bindings, spec, { text: textIndexOf(collection, textAnalysis()), geo });
  // Views and time series are read with pipelines, whose filters have no $where.
  if (namespace === collection && collection?.settings.timeSeries === undefined) return language;
  return { ...language, context: { ...language.context, where: undefined } };
};

/**
 * Returns the language of a command that reads. A view's collation cannot be overridden.
 * @throws CommandError 167 for another collation than the view's
 */
export const readingLanguageFor = (call: Call, ns: string, options: Parameters<typeof languageFor>[2]): Language => {
  const namespace = call.data.value.namespaces.get(ns);
  const { collation } = options;
  const isOther =
    collation !== undefined &&
    collation.size > 0 &&
    isView(namespace) &&
    !isSameCollation(collation, collationOfView(namespace));
  const language = languageFor(call, ns, options);
  if (isOther) throw fail('OptionNotSupportedOnView', "Cannot override a view's default collation");
  return language;
};

import type { Language } from '../engine/language.js';
import { isView } from '../engine/database.js';
import { geoIndexesOf } from '../engine/geo-indexes.js';
import { languageOf } from '../engine/language.js';
import { textIndexOf } from '../engine/text-index.js';
import type { Doc } from '../value/doc.js';
import { isDoc } from '../value/value.js';
import type { Call } from './command.js';

/** The language of a command on a namespace: its own collation, else the namespace's default. @throws CommandError */
export const languageFor = (
  call: Call,
  ns: string,
  { collation, bindings }: { readonly collation: Doc | undefined; readonly bindings?: Doc | undefined },
): Language => {
  const namespace = call.data.value.namespaces.get(ns);
  const inherited = namespace?.settings.options.get('collation');
  const spec = collation ?? (isDoc(inherited) ? inherited : undefined);
  const collection = isView(namespace) ? undefined : namespace;
  return languageOf(call.engine, bindings, spec, { text: textIndexOf(collection), geo: geoIndexesOf(collection) });
};

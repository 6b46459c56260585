import type { Doc, Matcher, Pause } from '@tessera/mql/engine';
import { docsOf, explainedPlan, filtered, nameOf, planOf, isView } from '@tessera/store';
import { readable } from './buckets.js';
import type { Language } from './language.js';
import { readerOf, resolve } from './pipeline.js';
import type { Selection, DatabaseValue } from '@tessera/store';

/** Returns the matching documents of a collection or view, lazily and in no particular order. */
export const contentsOf = function* (
  value: DatabaseValue,
  ns: string,
  language: Language,
  selection: Selection,
): Generator<Doc | Pause> {
  const namespace = readable(value, ns);
  if (namespace === undefined) return;
  if (!isView(namespace)) {
    yield* docsOf(namespace, planOf(namespace, selection), selection.matcher);
    return;
  }
  const { base } = resolve(value, ns);
  // Checks that the hint names an index of the collection.
  if (selection.hint !== undefined && base !== undefined) explainedPlan(base, { ...selection, sort: undefined });
  const db = ns.slice(0, ns.indexOf('.'));
  yield* filtered(readerOf(value, db, language).collection(nameOf(ns)), selection.matcher);
};

/** Returns the number of matching documents if it is known without reading them, else undefined. */
export const countOfAll = (value: DatabaseValue, ns: string, matcher: Matcher): number | undefined => {
  const namespace = readable(value, ns);
  if (namespace === undefined) return 0;
  return !isView(namespace) && matcher.complete && matcher.predicates.length === 0 ? namespace.records.size : undefined;
};

import type { Doc } from '@tessera/mql/engine';
import { createCollation, fail, isDoc, isSameCollation, parsePipeline, uncheckedScripts } from '@tessera/mql/engine';
import { dbOf, isView, namespacesOf } from '@tessera/store';
import type { DatabaseValue, View } from '@tessera/store';
import { deepest } from '../engine/pipeline.js';

/** Returns a view's collation, if it has one. */
export const collationOfView = ({ settings: { options } }: View): Doc | undefined => {
  const spec = options.get('collation');
  return isDoc(spec) ? spec : undefined;
};

const ownStages = new Map(
  ['$changeStream', '$listSearchIndexes', '$search', '$searchMeta', '$vectorSearch'].map(name => [
    name,
    (): never => {
      throw fail('OptionNotSupportedOnView', `${name} cannot be used in a view definition`);
    },
  ]),
);

/** Returns the collections and views that a view reads. @throws CommandError if its pipeline is invalid, or writes */
const readBy = (view: View): readonly string[] => {
  const spec = collationOfView(view);
  const parsed = parsePipeline(view.pipeline, {
    collation: spec && createCollation(spec),
    scripts: uncheckedScripts,
    ownStages,
  });
  if (parsed.terminal !== undefined) {
    throw fail('OptionNotSupportedOnView', 'The aggregation stage $out or $merge is not allowed in a view definition');
  }
  const db = dbOf(view.settings.ns);
  return [view.viewOn, ...parsed.collections].map(name => `${db}.${name}`);
};

/** Returns the number of views that are read in sequence for a namespace. */
const depthOf = (value: DatabaseValue, ns: string, known: Map<string, number>): number => {
  const view = value.namespaces.get(ns);
  if (!isView(view)) return 0;
  if (!known.has(ns)) {
    known.set(ns, 0);
    known.set(ns, 1 + Math.max(...readBy(view).map(name => depthOf(value, name, known))));
  }
  return known.get(ns)!;
};

const tooDeep = (): Error =>
  fail('ViewDepthLimitExceeded', `View depth too deep or view cycle detected; maximum depth is ${deepest}`);

/**
 * Checks the views that a pipeline reads.
 * @throws CommandError 165 if they are nested too deeply, 167 for another collation than the pipeline's
 */
export const checkViewsRead = (value: DatabaseValue, names: readonly string[], collation: Doc | undefined): void => {
  const known = new Map<string, number>();
  for (const name of names) {
    const view = value.namespaces.get(name);
    if (!isView(view)) continue;
    if (depthOf(value, name, known) >= deepest) throw tooDeep();
    if (!isSameCollation(collation, collationOfView(view)))
      throw fail('OptionNotSupportedOnView', `The collation of view ${name} is not that of the operation`);
  }
};

/**
 * Checks a view against the other namespaces.
 * @throws CommandError 5 if the view reads itself, 165 if views are nested too deeply, 167 if it writes or an
 * underlying view has another collation
 * @throws CommandError with other codes for errors of its stages
 */
export const checkView = (value: DatabaseValue, view: View): void => {
  const { ns } = view.settings;
  const seen = new Set<string>();
  const follow = (at: View): void => {
    for (const name of readBy(at)) {
      if (name === ns) throw fail('GraphContainsCycle', `View cycle detected: ${ns}`);
      const next = value.namespaces.get(name);
      if (!isView(next) || seen.has(name)) continue;
      seen.add(name);
      if (!isSameCollation(collationOfView(view), collationOfView(next))) {
        throw fail('OptionNotSupportedOnView', `View ${ns} has conflicting collation with view ${name}`);
      }
      follow(next);
    }
  };
  follow(view);
  const known = new Map<string, number>();
  for (const { settings } of namespacesOf(value, dbOf(ns)))
    if (depthOf(value, settings.ns, known) > deepest) throw tooDeep();
};

import type { Doc } from '@tessera/mql/engine';
import { createCollation, fail, isDoc, isSameCollation, parsePipeline } from '@tessera/mql/engine';
import type { DatabaseValue, View } from '../engine/database.js';
import { isView } from '../engine/database.js';
import { resolve } from '../engine/pipeline.js';
import { dbOf } from '../store/collection.js';

/** Returns a view's collation, if it has one. */
export const collationOfView = ({ settings: { options } }: View): Doc | undefined => {
  const spec = options.get('collation');
  return isDoc(spec) ? spec : undefined;
};

/** Returns the collections and views that a view reads. @throws CommandError if its pipeline is invalid, or writes */
const readBy = (view: View): readonly string[] => {
  const spec = collationOfView(view);
  const parsed = parsePipeline(view.pipeline, { collation: spec && createCollation(spec) });
  if (parsed.terminal !== undefined) {
    throw fail('OptionNotSupportedOnView', 'The aggregation stage $out or $merge is not allowed in a view definition');
  }
  const db = dbOf(view.settings.ns);
  return [view.viewOn, ...parsed.collections].map(name => `${db}.${name}`);
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
  resolve(value, ns);
};

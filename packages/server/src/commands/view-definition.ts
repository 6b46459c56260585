import type { Doc } from '@tessera/mql/engine';
import { createCollation, fail, isDoc, isSameCollation, parsePipeline } from '@tessera/mql/engine';
import type { DatabaseValue, View } from '../engine/database.js';
import { isView } from '../engine/database.js';
import { resolve } from '../engine/pipeline.js';
import { dbOf } from '../store/collection.js';

/** The collation of all that is read from a view, if it has one. */
export const collationOfView = ({ settings: { options } }: View): Doc | undefined => {
  const spec = options.get('collation');
  return isDoc(spec) ? spec : undefined;
};

/** The collections and views that a view reads. @throws CommandError if its pipeline cannot be parsed, or writes */
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
 * Whether a view may be as it stands in that value of the database.
 * @throws CommandError 5 if it reads itself, 165 if it stands too deeply, 167 if it writes or the views under it have another
 * collation, and what its stages are refused with
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

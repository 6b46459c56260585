import type { Collection, DatabaseValue, Namespace } from '@tessera/store';
import { bucketsOf, isView } from '@tessera/store';

const prefix = '.system.buckets.';

/** Returns the namespace of `system.buckets.<name>` if the name is that of a time series. */
const bucketsAt = ({ namespaces }: DatabaseValue, ns: string): Collection | undefined => {
  const at = ns.indexOf(prefix);
  if (at === -1) return undefined;
  const series = namespaces.get(`${ns.slice(0, at)}.${ns.slice(at + prefix.length)}`);
  if (series === undefined || isView(series) || series.settings.timeSeries === undefined) return undefined;
  return bucketsOf(series, series.settings.timeSeries, ns);
};

/** Returns a collection or view for reading. The buckets of time series count as collections. */
export const readable = (value: DatabaseValue, ns: string): Namespace | undefined =>
  value.namespaces.get(ns) ?? bucketsAt(value, ns);

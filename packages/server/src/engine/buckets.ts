import type { Value } from '@tessera/mql/engine';
import type { Collection, DatabaseValue, Namespace } from '@tessera/store';
import { bucketsOf, isView } from '@tessera/store';

const prefix = '.system.buckets.';

/** Returns the namespace of `system.buckets.<name>` if the name is that of a time series. */
export const bucketsAt = (namespaceAt: (ns: string) => Namespace | undefined, ns: string): Collection | undefined => {
  const at = ns.indexOf(prefix);
  if (at === -1) return undefined;
  const series = namespaceAt(`${ns.slice(0, at)}.${ns.slice(at + prefix.length)}`);
  return series === undefined || isView(series) || series.settings.timeSeries === undefined
    ? undefined
    : bucketsOf(series, ns);
};

const ofDocuments = new Set(['aggregate', 'count', 'delete', 'distinct', 'find', 'findAndModify', 'insert', 'update']);

/** Returns the collection of a command with `rawData`: for a time series its bucket collection, if it is about documents. */
export const rawTarget = (
  { namespaces }: DatabaseValue,
  command: string,
  db: string | undefined,
  target: Value,
): Value => {
  if (typeof target !== 'string' || !ofDocuments.has(command)) return target;
  const namespace = namespaces.get(`${db}.${target}`);
  const isSeries = namespace !== undefined && !isView(namespace) && namespace.settings.timeSeries !== undefined;
  return isSeries ? `system.buckets.${target}` : target;
};

/** Returns a collection or view for reading. The buckets of time series count as collections. */
export const readable = (value: DatabaseValue, ns: string): Namespace | undefined =>
  value.namespaces.get(ns) ?? bucketsAt(name => value.namespaces.get(name), ns);

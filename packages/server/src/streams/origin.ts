import type { TimestampValue } from '@tessera/mql/engine';
import { Doc, compare, parseQuery } from '@tessera/mql/engine';
import { select, isView } from '@tessera/store';
import type { DatabaseValue } from '@tessera/store';
import type { EventContext, EventFormat } from './event.js';
import type { EventSource, Past } from './log-events.js';
import { LogEvents } from './log-events.js';
import type { Watch } from './watch.js';

/** The source of change streams' events. */
export interface Origin {
  /** Returns the time of the last entry written. */
  lastTime(): TimestampValue;
  isView(ns: string): boolean;
  /** @param first the time at which events start */
  events(first: TimestampValue, watch: Watch, format: EventFormat): EventSource;
  /** Calls `wake` once, when there may be more events. Returns a function that cancels the callback. */
  onceMoved(wake: () => void): () => void;
}

/** Returns a function that looks up the current version of a document in the data. */
export const lookUpIn =
  (value: () => DatabaseValue): EventContext['lookUp'] =>
  ({ ns, uuid }, id) => {
    const collection = value().namespaces.get(ns);
    if (collection === undefined || isView(collection) || compare(collection.settings.uuid, uuid) !== 0)
      return undefined;
    const matcher = parseQuery(Doc.of([['_id', Doc.of([['$eq', id]])]]));
    return select(collection, { matcher, sort: undefined, hint: undefined, collation: undefined }, 1)[0]?.doc;
  };

/** Returns the origin for a single replica set member. */
export const originOf = (past: Past): Origin => ({
  lastTime: () => (past.log.last ?? past.committed).at.ts,
  isView: ns => isView(past.committed.value.namespaces.get(ns)),
  events: (first, watch, format) => {
    const lookUp = lookUpIn(() => past.committed.value);
    return new LogEvents(past, first, {
      watch,
      context: { ...format, lookUp, keyOf: () => [], isReported: () => true },
    });
  },
  onceMoved: wake => past.onceMoved(wake),
});

import type { Document, EventMap, EventName, LogComponent, LogSeverity } from '@tessera/contracts';

/** Writes a document, or what else is written like one, within the limit. */
export type Write = (value: unknown) => string;

/** What is told of one kind of event. */
export interface Form<Event> {
  readonly component: LogComponent;
  readonly severity: LogSeverity;
  readonly message: string;
  /** Of the unstructured form: `{field}` is its value; what stands in brackets is left out unless its fields are there. */
  readonly text: string;
  /** What it has in common with others of its component, then what is its own; a field that is undefined is left out. */
  common(event: Event, write: Write): Document;
  own?(event: Event, write: Write): Document;
}

export type Forms<N extends EventName> = { readonly [K in N]: Form<EventMap[K]> };

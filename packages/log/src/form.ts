import type { Document, EventMap, EventName, LogComponent, LogSeverity } from '@tessera/contracts';

/** Writes a document or another value as Extended JSON, up to the limit of length. */
export type Write = (value: unknown) => string;

/** How one kind of event becomes a log message. */
export interface Form<Event> {
  readonly component: LogComponent;
  readonly severity: LogSeverity;
  readonly message: string;
  /** The unstructured form: `{field}` is its value; a part in brackets is left out if one of its fields is absent. */
  readonly text: string;
  /** The fields that messages of this component share, then those of this message. Undefined fields are left out. */
  common(event: Event, write: Write): Document;
  own?(event: Event, write: Write): Document;
}

export type Forms<N extends EventName> = { readonly [K in N]: Form<EventMap[K]> };

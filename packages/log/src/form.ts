import type { Document, EventMap, EventName, LogComponent, LogSeverity } from '@tessera/contracts';

/** Writes a value as Extended JSON, up to the length limit. */
export type Write = (value: unknown) => string;

/** Describes how one kind of event becomes a log message. */
export interface Form<Event> {
  readonly component: LogComponent;
  readonly severity: LogSeverity;
  readonly message: string;
  /**
   * The unstructured text. `{field}` is replaced by the field's value. A part in brackets is left out if one of its
   * fields is absent.
   */
  readonly text: string;
  /**
   * Returns the fields that all messages of this component share; `own` returns those of this message. Undefined fields
   * are left out.
   */
  common(event: Event, write: Write): Document;
  own?(event: Event, write: Write): Document;
}

export type Forms<N extends EventName> = { readonly [K in N]: Form<EventMap[K]> };

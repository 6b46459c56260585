import type { Clock, Document, EventName, EventSink, Host, LogMessage } from '@tessera/contracts';
import { openDestination } from './destination.js';
import { extendedJson } from './extended-json.js';
import { forms } from './forms.js';
import type { LogSettings } from './settings.js';
import { isLogged } from './severity.js';

const present = (fields: Document): Document =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** Opens the log with these settings. Returns undefined if nothing is to be logged, so that no events are built. */
export const openLog = (
  { clock, host }: { readonly clock: Pick<Clock, 'wallTime'>; readonly host: Host },
  { severities, destination: to, maxDocumentLength }: LogSettings,
): EventSink | undefined => {
  const logged = [...forms].filter(([, { component, severity }]) => isLogged(severity, severities[component]));
  if (logged.length === 0) return undefined;
  const destination = openDestination(to, host);
  if (destination === undefined) return undefined;
  const wanted: ReadonlySet<EventName> = new Set(logged.map(([name]) => name));
  const write = (value: unknown): string => extendedJson(value, maxDocumentLength);
  return {
    wants: name => wanted.has(name) && !destination.isHalted,
    emit: event => {
      const form = forms.get(event.name);
      if (form === undefined || !wanted.has(event.name)) return;
      destination.write({
        t: new Date(clock.wallTime()),
        c: form.component,
        s: form.severity,
        ...present({ ...form.common(event, write), message: form.message, ...form.own?.(event, write) }),
      } as LogMessage);
    },
  };
};

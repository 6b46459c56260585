import type { Document, EventName, LogMessage, OpenLog } from '@tessera/contracts';
import { openDestination } from './destination.js';
import { extendedJson } from './extended-json.js';
import { forms } from './forms.js';
import { resolveSettings } from './settings.js';
import { isLogged } from './severity.js';

const present = (fields: Document): Document =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/**
 * Creates the driver's log from its events. Options take precedence over environment variables. Returns undefined if
 * nothing is to be logged, so that no events are built. Rule: Logging; the messages are specified by Command Logging
 * and Monitoring, SDAM Logging and Monitoring, Server Selection, and Connection Monitoring and Pooling.
 * @throws MongoError `usage` for invalid options; `Host.warn` receives a warning for each invalid environment variable.
 */
export const createLog: OpenLog = ({ clock, host }, options) => {
  const {
    severities,
    destination: to,
    maxDocumentLength,
    warnings,
  } = resolveSettings(name => host.environment(name), options);
  for (const warning of warnings) host.warn?.(warning);
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

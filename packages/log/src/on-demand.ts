import { whenLoaded } from '@tessera/contracts';
import type { DriverEvent, EventSink, OpenLog } from '@tessera/contracts';
import { resolveSettings } from './settings.js';

/**
 * Creates the same log as {@link createLog}. Its code is loaded only if options or the environment turn a component on.
 * Meanwhile the events wait, with their times.
 * @throws MongoError `usage` for invalid options; `Host.warn` receives a warning for each invalid environment variable.
 */
export const createLogOnDemand: OpenLog = ({ clock, host }, options) => {
  const settings = resolveSettings(name => host.environment(name), options);
  for (const warning of settings.warnings) host.warn?.(warning);
  if (Object.values(settings.severities).every(severity => severity === 'off')) return undefined;
  const waiting: (readonly [event: DriverEvent, at: number])[] = [];
  /** The log. Null: it could not be loaded, or writes nothing. Undefined: it is being loaded. */
  let log: EventSink | null | undefined;
  const loading = import('./open-log.js').then(({ openLog }) => {
    let at: number | undefined;
    const opened = openLog({ clock: { wallTime: () => at ?? clock.wallTime() }, host }, settings);
    // An event that writing causes waits behind the others.
    for (const [event, time] of waiting) {
      at = time;
      if (opened?.wants(event.name) === true) opened.emit(event);
    }
    at = undefined;
    log = opened ?? null;
  });
  whenLoaded(host, loading).catch((error: unknown) => {
    log = null;
    host.warn?.(`The log cannot be loaded: ${String(error)}`);
  });
  return {
    wants: name => log === undefined || log?.wants(name) === true,
    emit: event => {
      if (log === undefined) waiting.push([event, clock.wallTime()]);
      else log?.emit(event);
    },
  };
};

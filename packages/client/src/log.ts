import type { EventSink, OpenLog } from '@tessera/contracts';

/** The default log part: emits a warning if an option requests a log. */
export const noLog: OpenLog = ({ host }, { mongodbLogPath, mongodbLogComponentSeverities }) => {
  if (mongodbLogPath !== undefined || mongodbLogComponentSeverities !== undefined)
    host.warn?.('No log is written. To write one, pass createLog of @tessera/log as parts: { log: createLog }.');
  return undefined;
};

/** Returns a sink that passes events to the listeners and to the log, if there is one. */
export const withLog = (listeners: EventSink, log: EventSink | undefined): EventSink =>
  log === undefined
    ? listeners
    : {
        wants: name => log.wants(name) || listeners.wants(name),
        emit: event => {
          if (log.wants(event.name)) log.emit(event);
          if (listeners.wants(event.name)) listeners.emit(event);
        },
      };

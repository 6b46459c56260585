import type { EventSink, OpenLog } from '@tessera/contracts';

/** Where no log was passed, whoever asks for one is told. */
export const noLog: OpenLog = ({ host }, { mongodbLogPath, mongodbLogComponentSeverities }) => {
  if (mongodbLogPath !== undefined || mongodbLogComponentSeverities !== undefined)
    host.warn?.('Nothing is logged: pass createLog of @tessera/log as parts: { log: createLog }.');
  return undefined;
};

/** Both hear; where nothing is logged, the listeners alone. */
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

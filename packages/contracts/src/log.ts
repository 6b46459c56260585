/** Log messages and their destinations. Rule: Logging. */
import type { Clock } from './clock.js';
import type { EventSink } from './events.js';
import type { Host } from './host.js';

/** A part of the driver that logs. Rule: Logging, "Components". */
export type LogComponent = 'command' | 'topology' | 'serverSelection' | 'connection';

/** Severity levels, the most severe first. `off` logs nothing. Rule: Logging, "Log Severity Levels". */
export type LogSeverity =
  | 'off'
  | 'emergency'
  | 'alert'
  | 'critical'
  | 'error'
  | 'warn'
  | 'notice'
  | 'info'
  | 'debug'
  | 'trace';

/** A structured log message, with the fields of the specification. Fields without a value are absent. */
export interface LogMessage {
  /** The time. */
  readonly t: Date;
  /** The component. */
  readonly c: LogComponent;
  /** The severity. */
  readonly s: LogSeverity;
  /** The message, such as `Command started`. */
  readonly message: string;
  readonly [field: string]: unknown;
}

/** A destination that receives log messages as objects. After it throws or rejects, it receives no more messages. */
export interface LogWritable {
  /** Takes one message. If it returns a promise, the next message waits for it. */
  write(log: LogMessage): unknown;
}

/**
 * Client options that concern logs, with the official driver's names. If an option is missing, an environment variable such as
 * `MONGODB_LOG_ALL`, `MONGODB_LOG_PATH` or `MONGODB_LOG_MAX_DOCUMENT_LENGTH` applies. Rule: Logging.
 */
export interface LogOptions {
  /** `stdout`, `stderr`, the path of a file to append to, or a destination for objects. Default `stderr`. */
  mongodbLogPath?: string | LogWritable | undefined;
  /**
   * The least severe level to log for each component. `default` applies to components without an entry. `client` is accepted, but has
   * no effect. Default `off`.
   */
  mongodbLogComponentSeverities?:
    | Readonly<Partial<Record<LogComponent | 'client' | 'default', LogSeverity | undefined>>>
    | undefined;
  /** The maximum length of a document in a log message, as Extended JSON in UTF-16 code units. 0: no limit. Default 1000. */
  mongodbLogMaxDocumentLength?: number | undefined;
}

/**
 * Opens the log of a client, which receives its events. Returns undefined if the severity of every component is `off`.
 * `logSuite` of `@tessera/sim` tests an implementation.
 * @throws MongoError `usage` for invalid options
 */
export type OpenLog = (
  deps: { readonly clock: Clock; readonly host: Host },
  options: LogOptions,
) => EventSink | undefined;

/** Log messages as values, and where they go. Rule: Logging. */
import type { Clock } from './clock.js';
import type { EventSink } from './events.js';
import type { Host } from './host.js';

/** Rule: Logging, "Components". */
export type LogComponent = 'command' | 'topology' | 'serverSelection' | 'connection';

/** Rule: Logging, "Log Severity Levels", the most severe first; `off` is none of them. */
export type LogSeverity =
  'off' | 'emergency' | 'alert' | 'critical' | 'error' | 'warn' | 'notice' | 'info' | 'debug' | 'trace';

/** A structured message: the specification's fields by their names; one without a value is absent. */
export interface LogMessage {
  /** When. */
  readonly t: Date;
  readonly c: LogComponent;
  readonly s: LogSeverity;
  readonly message: string;
  readonly [field: string]: unknown;
}

/** Whoever wants the messages themselves. One that throws or rejects gets no more of them. */
export interface LogWritable {
  /** The next message waits for a promise. */
  write(log: LogMessage): unknown;
}

/** Under the official driver's names. What is left out, variables of the environment may say. */
export interface LogOptions {
  /** `stdout`, `stderr`, the path of a file that is appended to, or whoever takes the messages. By default `stderr`. */
  readonly mongodbLogPath?: string | LogWritable | undefined;
  /** From which severity on a component is logged; `default` is that of components that are not named. By default `off`. */
  readonly mongodbLogComponentSeverities?:
    Readonly<Partial<Record<LogComponent | 'client' | 'default', LogSeverity | undefined>>> | undefined;
  /** Of documents as Extended JSON, in UTF-16 code units; 0 is no limit. By default 1000. */
  readonly mongodbLogMaxDocumentLength?: number | undefined;
}

/** Undefined if nothing is to be logged. @throws MongoError `usage` for options that cannot be. */
export type OpenLog = (
  deps: { readonly clock: Clock; readonly host: Host },
  options: LogOptions,
) => EventSink | undefined;

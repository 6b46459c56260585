import { MongoError } from '@tessera/contracts';
import type { LogComponent, LogOptions, LogSeverity, LogWritable, Host } from '@tessera/contracts';
import { severityNames, severityOf } from './severity.js';

export interface LogSettings {
  readonly severities: Readonly<Record<LogComponent, LogSeverity>>;
  /** A path or stream name for lines, or an object that receives the messages. */
  readonly destination: string | LogWritable;
  /** In UTF-16 code units; Infinity means no limit. */
  readonly maxDocumentLength: number;
  /** Warnings about invalid environment variables. */
  readonly warnings: readonly string[];
}

type Given = NonNullable<LogOptions['mongodbLogComponentSeverities']>;

/** The environment variables of the components. Rule: Logging, "Components". */
const variables: Readonly<Record<LogComponent, string>> = {
  command: 'MONGODB_LOG_COMMAND',
  topology: 'MONGODB_LOG_TOPOLOGY',
  serverSelection: 'MONGODB_LOG_SERVER_SELECTION',
  connection: 'MONGODB_LOG_CONNECTION',
};
const LENGTH = 'MONGODB_LOG_MAX_DOCUMENT_LENGTH';

const requireThat = (holds: boolean, sentence: string): void => {
  if (!holds) throw new MongoError('usage', sentence);
};

const check = ({ mongodbLogComponentSeverities: given = {}, mongodbLogMaxDocumentLength: most }: LogOptions): void => {
  for (const [component, severity] of Object.entries(given))
    requireThat(
      severity === undefined || severityOf(severity) !== undefined,
      `"mongodbLogComponentSeverities.${component}" must be one of ${severityNames}, not '${String(severity)}'.`,
    );
  requireThat(
    most === undefined || (Number.isInteger(most) && most >= 0),
    `"mongodbLogMaxDocumentLength" must be a whole number from 0 (no limit), not ${String(most)}.`,
  );
};

/**
 * Resolves options and environment variables. Options take precedence over variables, and settings of a component over
 * those for all components. An invalid variable is never an error. Rule: Logging, "Per-Component Configuration of Log
 * Levels", "Supporting Both Programmatic and Environment Variable Configuration". @throws MongoError `usage` for
 * invalid options.
 */
export const resolveSettings = (environment: Host['environment'], options: LogOptions): LogSettings => {
  check(options);
  const { mongodbLogComponentSeverities: given = {}, mongodbLogMaxDocumentLength: most, mongodbLogPath } = options;
  const warnings: string[] = [];
  /** Returns the value of a variable if it is valid. */
  const read = <T>(variable: string, expected: string, parse: (text: string) => T | undefined): T | undefined => {
    const text = environment(variable);
    if (text === undefined || text === '') return undefined;
    const value = parse(text);
    if (value === undefined) warnings.push(`${variable} is ignored: '${text}' is not ${expected}.`);
    return value;
  };
  const severity = (variable: string): LogSeverity | undefined => read(variable, `one of ${severityNames}`, severityOf);
  const length = read(LENGTH, 'a whole number from 0', text => (/^\d{1,15}$/.test(text) ? Number(text) : undefined));
  const all = severity('MONGODB_LOG_ALL');
  const of = (component: LogComponent): LogSeverity => {
    const variable = severity(variables[component]);
    const stated: Given[keyof Given] = given[component] ?? given.default;
    return severityOf(stated) ?? variable ?? all ?? 'off';
  };
  const limit = most ?? length ?? 1000;
  return {
    severities: {
      command: of('command'),
      topology: of('topology'),
      serverSelection: of('serverSelection'),
      connection: of('connection'),
    },
    destination: mongodbLogPath ?? read('MONGODB_LOG_PATH', '', text => text) ?? 'stderr',
    maxDocumentLength: limit === 0 ? Infinity : limit,
    warnings,
  };
};

import type { LogSeverity } from '@tessera/contracts';

/** By rank. Rule: Logging, "Log Severity Levels". */
const severities: readonly LogSeverity[] = [
  ...(['off', 'emergency', 'alert', 'critical', 'error', 'warn', 'notice', 'info', 'debug', 'trace'] as const),
];

/** Reads a severity in upper or lower case; undefined for any other value. */
export const severityOf = (text: unknown): LogSeverity | undefined =>
  typeof text === 'string' ? severities.find(severity => severity === text.toLowerCase()) : undefined;

/** Whether a message of this severity is logged, if `least` is the least severe that is. */
export const isLogged = (severity: LogSeverity, least: LogSeverity): boolean =>
  severities.indexOf(severity) <= severities.indexOf(least);

export const severityNames: string = severities.join(', ');

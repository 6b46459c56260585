import type { LogSeverity } from '@tessera/contracts';

/** The severities from the most to the least severe. Rule: Logging, "Log Severity Levels". */
const severities: readonly LogSeverity[] = [
  ...(['off', 'emergency', 'alert', 'critical', 'error', 'warn', 'notice', 'info', 'debug', 'trace'] as const),
];

/** Reads a severity in upper or lower case. Undefined for any other value. */
export const severityOf = (text: unknown): LogSeverity | undefined =>
  typeof text === 'string' ? severities.find(severity => severity === text.toLowerCase()) : undefined;

/** Whether a message of this severity is logged. `least` is the least severe level that is logged. */
export const isLogged = (severity: LogSeverity, least: LogSeverity): boolean =>
  severities.indexOf(severity) <= severities.indexOf(least);

export const severityNames: string = severities.join(', ');

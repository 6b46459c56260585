import type { LogMessage } from '@tessera/contracts';
import { forms } from './forms.js';

const texts: ReadonlyMap<string, string> = new Map([...forms.values()].map(({ message, text }) => [message, text]));

/**
 * Returns the unstructured text of a message, without the parts whose fields are absent. Rule: Logging, "Structured
 * versus Unstructured Logging", "Omitting Null Values from Log Messages".
 */
export const textOf = (log: LogMessage): string => {
  const hasAll = (part: string): boolean => [...part.matchAll(/\{(\w+)\}/g)].every(([, name = '']) => name in log);
  return (
    (texts.get(log.message) ?? log.message)
      .replace(/\[([^\][]*)\]/g, (_, part: string) => (hasAll(part) ? part : ''))
      // Removes the rest of a list whose last items, or all items, were left out.
      .replace(/(?: using options|,)$/, '')
      .replace(/\{(\w+)\}/g, (_, name: string) => String(log[name]))
  );
};

/** Returns a message as one line: time, severity, component and text. */
export const lineOf = (log: LogMessage): string => `${log.t.toISOString()} ${log.s} ${log.c} ${textOf(log)}`;

import type { LogMessage } from '@tessera/contracts';
import { forms } from './forms.js';

const texts: ReadonlyMap<string, string> = new Map([...forms.values()].map(({ message, text }) => [message, text]));

/**
 * The unstructured form of a message. Rule: Logging, "Structured versus Unstructured Logging", "Omitting Null Values from Log
 * Messages": what a field that is absent belongs to is left out.
 */
export const textOf = (log: LogMessage): string => {
  const hasAll = (part: string): boolean => [...part.matchAll(/\{(\w+)\}/g)].every(([, name = '']) => name in log);
  return (
    (texts.get(log.message) ?? log.message)
      .replace(/\[([^\][]*)\]/g, (_, part: string) => (hasAll(part) ? part : ''))
      // A list whose last items, or all of them, were left out.
      .replace(/(?: using options|,)$/, '')
      .replace(/\{(\w+)\}/g, (_, name: string) => String(log[name]))
  );
};

/** One line: when, how severe, of what, and the text. */
export const lineOf = (log: LogMessage): string => `${log.t.toISOString()} ${log.s} ${log.c} ${textOf(log)}`;

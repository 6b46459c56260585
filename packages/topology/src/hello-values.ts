/** What stands in a hello, which may be anything: the value in the form that is expected, else undefined. */
import { textOf } from '@tessera/contracts';
import type { Address, Document, TagSet } from '@tessera/contracts';

/**
 * A replica set has 50 members at most; each of ten times as many names is one more server that is watched, and is
 * compared with all others at every check.
 */
export const mostKnown = 500;

// Rule: Server Discovery and Monitoring, "Hostnames are normalized to lower-case".
export const addressOf = (value: unknown): Address | undefined => {
  const address = textOf(value)?.toLowerCase();
  // Only the application may name a socket of its own machine: a server that does would be given what is behind it.
  return address?.endsWith('.sock') === true ? undefined : address;
};
export const addressesOf = (value: unknown): readonly Address[] =>
  Array.isArray(value) ? value.slice(0, mostKnown).flatMap(host => addressOf(host) ?? []) : [];

export const tagsOf = (value: unknown): TagSet =>
  typeof value === 'object' && value !== null ? (value as TagSet) : {};

/** Milliseconds since 1970. */
export const dateOf = (document: unknown, name: string): number | undefined => {
  const date = (document as Document | null | undefined)?.[name] as unknown;
  return date instanceof Date ? date.getTime() : undefined;
};

/** What a server told, which may be anything: the value in the form that is expected, else undefined. */
import type { Address, Document, ObjectId, TagSet } from '@tessera/contracts';

/**
 * A replica set has 50 members at most; each of ten times as many names is one more server that is watched, and is
 * compared with all others at every check.
 */
export const mostKnown = 500;

export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

// Rule: Server Discovery and Monitoring, "Hostnames are normalized to lower-case".
export const addressOf = (value: unknown): Address | undefined => {
  const address = textOf(value)?.toLowerCase();
  // Only the application may name a socket of its own machine: a server that does would be given what is behind it.
  return address?.endsWith('.sock') === true ? undefined : address;
};
export const addressesOf = (value: unknown): readonly Address[] =>
  Array.isArray(value) ? value.slice(0, mostKnown).flatMap(host => addressOf(host) ?? []) : [];

export const idOf = (value: unknown): ObjectId | undefined => {
  const id = value as ObjectId | null | undefined;
  return typeof id?.toHexString === 'function' ? id : undefined;
};

/** A number, a bigint or a Long, as the codec decodes int64. */
export const wholeOf = (value: unknown): bigint | undefined => {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : undefined;
  const long = value as { readonly toBigInt?: () => bigint } | null | undefined;
  return typeof long?.toBigInt === 'function' ? long.toBigInt() : undefined;
};

export const numberOf = (value: unknown): number | undefined => {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  const whole = wholeOf(value);
  return whole === undefined ? undefined : Number(whole);
};

export const tagsOf = (value: unknown): TagSet =>
  typeof value === 'object' && value !== null ? (value as TagSet) : {};

/** Milliseconds since 1970. */
export const dateOf = (document: unknown, name: string): number | undefined => {
  const date = (document as Document | null | undefined)?.[name] as unknown;
  return date instanceof Date ? date.getTime() : undefined;
};

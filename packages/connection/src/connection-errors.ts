import { MongoError } from '@tessera/contracts';
import type { Message, Origin } from '@tessera/contracts';

/** Returns the message of a cause without its full stop, as a part of another message. */
export const wordsOf = (cause: unknown): string =>
  (cause instanceof Error ? cause.message : String(cause)).replace(/\.$/, '');

const nameOf = (cause: unknown): string => (cause instanceof Error ? cause.name : typeof cause);

/** Adds the origin to a MongoError that has none, and keeps its message. */
const placed = (cause: MongoError, origin: Origin): MongoError => {
  cause.origin ??= origin;
  return cause;
};

export const unwritten = (message: Message, cause: unknown, origin: Origin): MongoError => {
  if (MongoError.is(cause)) return placed(cause, origin);
  return new MongoError('usage', `'${message.name}' could not be written: ${wordsOf(cause)}.`, { cause, origin });
};

export const unreadable = (cause: unknown, origin: Origin): MongoError => {
  if (MongoError.is(cause)) return placed(cause, origin);
  const what = `The reply of ${origin.address ?? 'the server'} could not be read: ${wordsOf(cause)}.`;
  return new MongoError('protocol', what, { cause, origin });
};

/**
 * Returns the error of a failed authentication. The message of a cause that is not a MongoError may contain secrets, so
 * it is omitted.
 */
export const unproven = (cause: unknown, origin: Origin): MongoError => {
  if (MongoError.is(cause)) return placed(cause, origin);
  return new MongoError('auth', `Authentication at ${origin.address} failed inside the driver: ${nameOf(cause)}.`, {
    origin,
  });
};

export const tooLong = (message: Message, length: number, limit: number, origin: Origin): MongoError =>
  new MongoError(
    'usage',
    `'${message.name}' has ${length} bytes, but ${origin.address} accepts at most ${limit}. Split it into smaller commands.`,
    { origin },
  );

export const notFree = (message: Message, state: string, origin: Origin): MongoError =>
  new MongoError(
    'usage',
    `'${message.name}' was not sent: the connection to ${origin.address} is ${state}, and a connection runs one command at a time.`,
    { origin },
  );

export const notOpen = (message: Message, cause: MongoError | undefined, origin: Origin): MongoError =>
  new MongoError('network', `'${message.name}' was not sent: the connection to ${origin.address} is closed.`, {
    cause,
    origin,
  });

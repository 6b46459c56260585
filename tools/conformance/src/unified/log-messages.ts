import type { LogMessage } from '@tessera/contracts';
import type { ExpectedMessage, ExpectedMessages } from './format.js';
import { match, nested, root } from './match.js';
import type { EntityLookup } from './match.js';

/** Checks whether the `failure` of a log message contains the message of an error that was thrown. */
const judgeRedaction = (isRedacted: boolean, { failure }: LogMessage, raised: readonly Error[], path: string): void => {
  if (typeof failure !== 'string' || failure === '') throw new Error(`${path}: expected a failure.`);
  const isComplete = raised.some(({ message }) => failure.includes(message));
  if (isComplete === isRedacted)
    throw new Error(`${path}: expected ${isRedacted ? 'a redacted' : 'the whole'} failure, not ${failure}`);
};

/** The errors that the operations threw, and the entities of the test. */
export interface Context {
  readonly raised: readonly Error[];
  readonly entities: EntityLookup;
}

const judgeMessage = (
  expected: ExpectedMessage,
  actual: LogMessage,
  { raised, entities }: Context,
  path: string,
): void => {
  match(expected.level, actual.s, nested(`${path}.level`, entities));
  match(expected.component, actual.c, nested(`${path}.component`, entities));
  match(expected.data, { ...actual }, root(`${path}.data`, entities));
  if (expected.failureIsRedacted !== undefined) judgeRedaction(expected.failureIsRedacted, actual, raised, path);
};

const isLike = ({ level, component, data }: ExpectedMessage, log: LogMessage, context: Context): boolean => {
  try {
    judgeMessage({ level, component, data }, log, context, '');
    return true;
  } catch {
    return false;
  }
};

/**
 * Compares a client's log messages with the expected ones.
 * @throws Error that describes the first difference. Rule: "expectedLogMessagesForClient".
 */
export const judgeMessages = (
  { client, messages, ignoreExtraMessages = false, ignoreMessages = [] }: ExpectedMessages,
  observed: readonly LogMessage[],
  context: Context,
): void => {
  const logs = observed.filter(log => !ignoreMessages.some(ignored => isLike(ignored, log, context)));
  for (const [index, expected] of messages.entries()) {
    const actual = logs[index];
    if (actual === undefined) break;
    judgeMessage(expected, actual, context, `log messages of ${client}.${index}`);
  }
  if (logs.length >= messages.length && (logs.length === messages.length || ignoreExtraMessages)) return;
  const names = logs.map(({ message, commandName }) => [message, commandName].filter(Boolean).join(' '));
  throw new Error(`Expected ${messages.length} log messages of ${client}, not ${logs.length}: ${names.join(', ')}`);
};

import type { LogMessage } from '@tessera/contracts';
import type { ExpectedMessage, ExpectedMessages } from './format.js';
import { match, nested, root } from './match.js';
import type { Known } from './match.js';

/** Of an error that is told as text, what is redacted is what the error said. */
const judgeRedaction = (isRedacted: boolean, { failure }: LogMessage, raised: readonly Error[], path: string): void => {
  if (typeof failure !== 'string' || failure === '') throw new Error(`${path}: there is no failure`);
  const isTold = raised.some(({ message }) => failure.includes(message));
  if (isTold === isRedacted)
    throw new Error(`${path}: expected ${isRedacted ? 'a redacted' : 'the whole'} failure, not ${failure}`);
};

/** What errors the operations raised, and what the operators know. */
export interface Heard {
  readonly raised: readonly Error[];
  readonly known: Known;
}

const judgeMessage = (expected: ExpectedMessage, actual: LogMessage, { raised, known }: Heard, path: string): void => {
  match(expected.level, actual.s, nested(`${path}.level`, known));
  match(expected.component, actual.c, nested(`${path}.component`, known));
  match(expected.data, { ...actual }, root(`${path}.data`, known));
  if (expected.failureIsRedacted !== undefined) judgeRedaction(expected.failureIsRedacted, actual, raised, path);
};

const isLike = ({ level, component, data }: ExpectedMessage, log: LogMessage, heard: Heard): boolean => {
  try {
    judgeMessage({ level, component, data }, log, heard, '');
    return true;
  } catch {
    return false;
  }
};

/** @throws Error at the first difference. Rule: "expectedLogMessagesForClient". */
export const judgeMessages = (
  { client, messages, ignoreExtraMessages = false, ignoreMessages = [] }: ExpectedMessages,
  observed: readonly LogMessage[],
  heard: Heard,
): void => {
  const logs = observed.filter(log => !ignoreMessages.some(ignored => isLike(ignored, log, heard)));
  for (const [index, expected] of messages.entries()) {
    const actual = logs[index];
    if (actual === undefined) break;
    judgeMessage(expected, actual, heard, `log messages of ${client}.${index}`);
  }
  if (logs.length >= messages.length && (logs.length === messages.length || ignoreExtraMessages)) return;
  const names = logs.map(({ message, commandName }) => [message, commandName].filter(Boolean).join(' '));
  throw new Error(`expected ${messages.length} log messages of ${client}, not ${logs.length}: ${names.join(', ')}`);
};

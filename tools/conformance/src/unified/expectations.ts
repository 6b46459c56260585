import type { Document, DriverEvent, LogMessage } from '@tessera/contracts';
import { eventNamed } from './entities.js';
import type { ObservedClient } from './entities.js';
import type { ExpectedEvents, ExpectedMessage, ExpectedMessages } from './format.js';
import { match, root } from './match.js';
import { Unsupported } from './unsupported.js';

/** False if it throws, unless it throws that it cannot be judged. */
const holds = (judge: () => void): boolean => {
  try {
    judge();
    return true;
  } catch (error) {
    if (error instanceof Unsupported) throw error;
    return false;
  }
};

const checkCount = (what: string, actual: readonly string[], expected: number, mayBeMore: boolean): void => {
  if (actual.length < expected || (actual.length > expected && !mayBeMore))
    throw new Error(`expected ${expected} ${what}, not ${actual.length}: ${actual.join(', ')}`);
};

const isKnown = (value: unknown): boolean => value !== undefined && value !== null;

/** Of a server or a topology, its type. */
const judgeDescription = (expected: Document, actual: Document, path: string): void => {
  const other = Object.keys(expected).find(key => key !== 'type');
  if (other !== undefined) throw new Unsupported(`the member ${other} of descriptions`);
  match(expected, { type: actual['type'] as unknown }, root(path));
};

/** Members of events that are no commands, under the same name and in the same form here and there. */
const plain = ['reason', 'awaited', 'previousDescription', 'newDescription'];

/** Rule: "expectedEvent". */
const judgeEvent = (expected: Document, actual: DriverEvent, path: string): void => {
  const [[name, members] = ['', {}]] = Object.entries(expected) as [string, Document][];
  if (actual.name !== eventNamed(name)) throw new Error(`${path}: expected ${name}, not ${actual.name}`);
  for (const [key, value] of Object.entries(members)) {
    if (!('commandName' in actual) && !plain.includes(key)) throw new Unsupported(`the member ${key} of ${name}`);
    const given = (actual as unknown as Document)[key] as unknown;
    const place = root(`${path}.${name}.${key}`);
    if (key === 'hasServerConnectionId')
      match(value, 'serverConnectionId' in actual && isKnown(actual.serverConnectionId), place);
    else if (key === 'hasServiceId') match(value, 'serviceId' in actual && isKnown(actual.serviceId), place);
    else if (key.endsWith('Description')) judgeDescription(value as Document, given as Document, place.path);
    else match(value, given, place);
  }
};

/** How many of the events are as expected. */
export const countOf = (events: readonly DriverEvent[], expected: Document): number =>
  events.filter(event =>
    holds(() => {
      judgeEvent(expected, event, '');
    }),
  ).length;

/** Rule: "expectedEventsForClient". */
export const judgeEvents = (
  { client, eventType = 'command', events, ignoreExtraEvents }: ExpectedEvents,
  observed: ObservedClient,
): void => {
  if (eventType !== 'command') throw new Unsupported(`events of the type ${eventType}`);
  const told = observed.events.filter(event => 'commandName' in event);
  const names = told.map(event => `${event.name} ${event.commandName}`);
  checkCount(`events of ${client}`, names, events.length, ignoreExtraEvents === true);
  for (const [index, expected] of events.entries()) judgeEvent(expected, told[index]!, `events of ${client}.${index}`);
};

/** Of an error that is told as text, what is redacted is what the error said. */
const judgeRedaction = (isRedacted: boolean, { failure }: LogMessage, raised: readonly Error[], path: string): void => {
  if (typeof failure !== 'string' || failure === '') throw new Error(`${path}: there is no failure`);
  const isTold = raised.some(({ message }) => failure.includes(message));
  if (isTold === isRedacted)
    throw new Error(`${path}: expected ${isRedacted ? 'a redacted' : 'the whole'} failure, not ${failure}`);
};

const judgeMessage = (expected: ExpectedMessage, actual: LogMessage, raised: readonly Error[], path: string): void => {
  match(expected.level, actual.s, root(`${path}.level`));
  match(expected.component, actual.c, root(`${path}.component`));
  match(expected.data, { ...actual }, root(`${path}.data`));
  if (expected.failureIsRedacted !== undefined) judgeRedaction(expected.failureIsRedacted, actual, raised, path);
};

/** Rule: "expectedLogMessagesForClient". */
export const judgeMessages = (
  { client, messages, ignoreExtraMessages, ignoreMessages = [] }: ExpectedMessages,
  observed: ObservedClient,
  raised: readonly Error[],
): void => {
  const isIgnored = (log: LogMessage): boolean =>
    ignoreMessages.some(({ level, component, data }) =>
      holds(() => {
        judgeMessage({ level, component, data }, log, [], '');
      }),
    );
  const logs = observed.logs.filter(log => !isIgnored(log));
  const names = logs.map(({ message, commandName }) => `${message} ${String(commandName)}`);
  checkCount(`log messages of ${client}`, names, messages.length, ignoreExtraMessages === true);
  for (const [index, expected] of messages.entries())
    judgeMessage(expected, logs[index]!, raised, `log messages of ${client}.${index}`);
};

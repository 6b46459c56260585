/** Compares the driver's events with the expected events of a test. */
import type { Document, DriverEvent, EventName, ObjectId } from '@tessera/contracts';
import type { EventType, ExpectedEvents } from './format.js';
import { match, nested, root } from './match.js';
import type { EntityLookup, Place } from './match.js';

/** The format's event names, each with the driver's name. */
const observable = {
  commandStartedEvent: 'commandStarted',
  commandSucceededEvent: 'commandSucceeded',
  commandFailedEvent: 'commandFailed',
  poolCreatedEvent: 'connectionPoolCreated',
  poolReadyEvent: 'connectionPoolReady',
  poolClearedEvent: 'connectionPoolCleared',
  poolClosedEvent: 'connectionPoolClosed',
  connectionCreatedEvent: 'connectionCreated',
  connectionReadyEvent: 'connectionReady',
  connectionClosedEvent: 'connectionClosed',
  connectionCheckOutStartedEvent: 'connectionCheckOutStarted',
  connectionCheckOutFailedEvent: 'connectionCheckOutFailed',
  connectionCheckedOutEvent: 'connectionCheckedOut',
  connectionCheckedInEvent: 'connectionCheckedIn',
  serverDescriptionChangedEvent: 'serverDescriptionChanged',
  topologyDescriptionChangedEvent: 'topologyDescriptionChanged',
  topologyOpeningEvent: 'topologyOpening',
  topologyClosedEvent: 'topologyClosed',
  serverHeartbeatStartedEvent: 'serverHeartbeatStarted',
  serverHeartbeatSucceededEvent: 'serverHeartbeatSucceeded',
  serverHeartbeatFailedEvent: 'serverHeartbeatFailed',
} as const satisfies Readonly<Record<string, EventName>>;

/** Returns the driver's name of an event. @throws Error if the format has no such event */
export const eventNamed = (name: string): EventName => {
  if (!Object.hasOwn(observable, name)) throw new Error(`Unknown event: ${name}.`);
  return observable[name as keyof typeof observable];
};

/** Returns the name of the event in its own specification, such as `PoolCreatedEvent`. Rule: "storeEventsAsEntity". */
export const specifiedName = (event: EventName): string => {
  const name = Object.entries(observable).find(([, ours]) => ours === event)![0];
  return name[0]!.toUpperCase() + name.slice(1);
};

const typeOf = (event: DriverEvent): EventType => {
  if ('commandName' in event) return 'command';
  return event.name.startsWith('connection') ? 'cmap' : 'sdam';
};

/** Formats an event for messages: its name, and the command name if it has one. */
const textOf = (event: DriverEvent): string =>
  'commandName' in event ? `${event.name} ${event.commandName}` : event.name;

const isServiceId = (value: unknown): boolean =>
  value !== undefined && value !== null && !/^0*$/.test((value as ObjectId).toString());

/** Returns whether the connection id is set and positive. */
const isConnectionId = (value: unknown): boolean => Number(value ?? 0) > 0;

const matchRoot = (expected: unknown, actual: unknown, { path, entities }: Place): void =>
  match(expected, actual, root(path, entities));

/** Compares the type of a server or topology description; the expectation may omit it. */
const matchDescription = (expected: unknown, actual: unknown, { path, entities }: Place): void =>
  match(expected, { type: (actual as Document)['type'] as unknown }, root(path, entities));

/** The check for each field of an expected event. */
const members: Readonly<Record<string, (expected: unknown, event: Document, place: Place) => void>> = {
  command: (expected, event, place) => matchRoot(expected, event['command'], place),
  reply: (expected, event, place) => matchRoot(expected, event['reply'], place),
  commandName: (expected, event, place) => match(expected, event['commandName'], place),
  databaseName: (expected, event, place) => match(expected, event['databaseName'], place),
  hasServiceId: (expected, event, place) => match(expected, isServiceId(event['serviceId']), place),
  hasServerConnectionId: (expected, event, place) =>
    match(expected, isConnectionId(event['serverConnectionId']), place),
  interruptInUseConnections: (expected, event, place) => match(expected, event['interruptInUseConnections'], place),
  reason: (expected, event, place) => match(expected, event['reason'], place),
  awaited: (expected, event, place) => match(expected, event['awaited'], place),
  previousDescription: (expected, event, place) => matchDescription(expected, event['previousDescription'], place),
  newDescription: (expected, event, place) => matchDescription(expected, event['newDescription'], place),
};

/** Compares an event with its expectation. @throws Error that describes the first difference. Rule: "expectedEvent". */
const judgeEvent = (expected: Document, actual: DriverEvent, path: string, entities: EntityLookup): void => {
  const [[name, wanted] = ['', {}], ...more] = Object.entries(expected) as [string, Document][];
  if (more.length > 0)
    throw new Error(`${path}: an expected event has exactly one name, but "${more[0]![0]}" was given as well.`);
  if (actual.name !== eventNamed(name)) throw new Error(`${path}: expected ${name}, not ${textOf(actual)}`);
  for (const [key, value] of Object.entries(wanted)) {
    if (!Object.hasOwn(members, key)) throw new Error(`${path}: an expected event has no field "${key}".`);
    members[key]!(value, actual, nested(`${path}.${name}.${key}`, entities));
  }
};

/** Returns how many events match the expectation. */
export const countOf = (events: readonly DriverEvent[], expected: Document, entities: EntityLookup): number =>
  events.filter(event => {
    try {
      judgeEvent(expected, event, '', entities);
      return true;
    } catch {
      return false;
    }
  }).length;

/**
 * Compares a client's events with the expected ones.
 * @throws Error that describes the first difference. Rule: "expectedEventsForClient".
 */
export const judgeEvents = (
  { client, eventType = 'command', events, ignoreExtraEvents = false }: ExpectedEvents,
  observed: readonly DriverEvent[],
  entities: EntityLookup,
): void => {
  const ofType = observed.filter(event => typeOf(event) === eventType);
  for (const [index, expected] of events.entries()) {
    const actual = ofType[index];
    if (actual === undefined) break;
    judgeEvent(expected, actual, `events of ${client}.${index}`, entities);
  }
  if (ofType.length < events.length || (ofType.length > events.length && !ignoreExtraEvents))
    throw new Error(
      `Expected ${events.length} events of ${client}, not ${ofType.length}: ${ofType.map(textOf).join(', ')}`,
    );
};

/** Events of the driver, as the format names and judges them. */
import type { Document, DriverEvent, EventName, ObjectId } from '@tessera/contracts';
import type { EventType, ExpectedEvents } from './format.js';
import { match, nested, root } from './match.js';
import type { Known, Place } from './match.js';

/** The format's names of events, and ours. */
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

/** The name of our event. @throws Error for a name that is none of the format's */
export const eventNamed = (name: string): EventName => {
  if (!Object.hasOwn(observable, name)) throw new Error(`there is no event ${name}`);
  return observable[name as keyof typeof observable];
};

/** The name that the event's own specification gives it: `PoolCreatedEvent`. Rule: "storeEventsAsEntity". */
export const specifiedName = (event: EventName): string => {
  const name = Object.entries(observable).find(([, ours]) => ours === event)![0];
  return name[0]!.toUpperCase() + name.slice(1);
};

const typeOf = (event: DriverEvent): EventType => {
  if ('commandName' in event) return 'command';
  return event.name.startsWith('connection') ? 'cmap' : 'sdam';
};

/** A command with its name, and other events by theirs. */
const told = (event: DriverEvent): string =>
  'commandName' in event ? `${event.name} ${event.commandName}` : event.name;

const isServiceId = (value: unknown): boolean =>
  value !== undefined && value !== null && !/^0*$/.test((value as ObjectId).toString());

/** Rule: the field is set and is positive. */
const isConnectionId = (value: unknown): boolean => Number(value ?? 0) > 0;

const matchRoot = (expected: unknown, actual: unknown, { path, known }: Place): void =>
  match(expected, actual, root(path, known));

/** Of a server or a topology, its type alone is told, and may be left out. */
const matchDescription = (expected: unknown, actual: unknown, { path, known }: Place): void =>
  match(expected, { type: (actual as Document)['type'] as unknown }, root(path, known));

/** How each member of an expected event is judged. */
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

/** @throws Error if the event is another, or in what it is not as expected. Rule: "expectedEvent". */
const judgeEvent = (expected: Document, actual: DriverEvent, path: string, known: Known): void => {
  const [[name, wanted] = ['', {}], ...more] = Object.entries(expected) as [string, Document][];
  if (more.length > 0) throw new Error(`${path}: an expected event has one name, not also ${more[0]![0]}`);
  if (actual.name !== eventNamed(name)) throw new Error(`${path}: expected ${name}, not ${told(actual)}`);
  for (const [key, value] of Object.entries(wanted)) {
    if (!Object.hasOwn(members, key)) throw new Error(`${path}: an expected event says nothing of ${key}`);
    members[key]!(value, actual, nested(`${path}.${name}.${key}`, known));
  }
};

/** How many of the events are as expected. */
export const countOf = (events: readonly DriverEvent[], expected: Document, known: Known): number =>
  events.filter(event => {
    try {
      judgeEvent(expected, event, '', known);
      return true;
    } catch {
      return false;
    }
  }).length;

/** @throws Error at the first difference. Rule: "expectedEventsForClient". */
export const judgeEvents = (
  { client, eventType = 'command', events, ignoreExtraEvents = false }: ExpectedEvents,
  observed: readonly DriverEvent[],
  known: Known,
): void => {
  const ofType = observed.filter(event => typeOf(event) === eventType);
  for (const [index, expected] of events.entries()) {
    const actual = ofType[index];
    if (actual === undefined) break;
    judgeEvent(expected, actual, `events of ${client}.${index}`, known);
  }
  if (ofType.length < events.length || (ofType.length > events.length && !ignoreExtraEvents))
    throw new Error(
      `expected ${events.length} events of ${client}, not ${ofType.length}: ${ofType.map(told).join(', ')}`,
    );
};

import type { Clock, DriverEvent, EventName } from '@tessera/contracts';
import { convertError, describeServer, describeTopology } from './convert-error.js';
import type { MonitoringTimes } from './descriptions.js';
import { eventClasses } from './event-classes.js';

const prototypes = new Map<EventName, object>(
  Object.entries(eventClasses).map(([name, { prototype }]) => [name as EventName, prototype]),
);

/** Returns the fields of an event with the error classes, descriptions and times that its listeners expect. */
const fieldsOf = (event: DriverEvent, clock: Clock, times: MonitoringTimes): object => {
  switch (event.name) {
    case 'commandFailed':
    case 'serverHeartbeatFailed':
      return { ...event, failure: convertError(event.failure) };
    case 'serverDescriptionChanged':
      return {
        ...event,
        previousDescription: describeServer(event.previousDescription),
        newDescription: describeServer(event.newDescription),
      };
    case 'topologyDescriptionChanged':
      return {
        ...event,
        previousDescription: describeTopology(event.previousDescription, times),
        newDescription: describeTopology(event.newDescription, times),
      };
    case 'connectionClosed':
    case 'connectionCheckOutFailed':
      return { ...event, error: convertError(event.error ?? null), time: new Date(clock.wallTime()) };
    default:
      return event.name.startsWith('connection') ? { ...event, time: new Date(clock.wallTime()) } : event;
  }
};

/** Returns an event as an instance of its class. Called only for events that have a listener. */
export const toInstance = (event: DriverEvent, clock: Clock, times: MonitoringTimes): object => {
  const prototype = prototypes.get(event.name);
  return prototype === undefined ? event : (Object.setPrototypeOf(fieldsOf(event, clock, times), prototype) as object);
};

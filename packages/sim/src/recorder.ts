import type { DriverEvent, EventName, EventSink } from '@tessera/contracts';

/** An event sink that keeps every event, for tests. */
export interface Recorder extends EventSink {
  readonly events: readonly DriverEvent[];
  count(name: EventName): number;
  /** Calls the listener with each event. */
  listen(listener: (event: DriverEvent) => void): void;
}

export const createRecorder = (): Recorder => {
  const events: DriverEvent[] = [];
  const listeners: ((event: DriverEvent) => void)[] = [];
  return {
    events,
    wants: () => true,
    emit: event => {
      events.push(event);
      for (const listener of listeners) listener(event);
    },
    count: name => events.filter(event => event.name === name).length,
    listen: listener => void listeners.push(listener),
  };
};
